/* Short and long forms of first names, which people use for each other. */

/** A line for each name: its forms, of which each may stand for each other. */
const forms = `
  abigail abby gail
  abraham abe ibrahim avraham
  albert bert al
  alexander alexandre aleksandr alex sandy sasha alejandro
  alexandra alex sandra sasha
  alfred fred alf
  andrew andy drew andreas andre andrei
  anthony tony antonio anton
  antonia toni tonia
  arthur art
  barbara barb babs
  benjamin ben benny benji bibi
  bernard bernie bernhard
  caroline carol carrie
  catherine katherine cathy kathy kate katie cath katarina katrin kat
  charles charlie chuck carl karl carlos
  charlotte lottie
  christina christine chris tina
  christopher chris kit christoph
  cynthia cindy
  daniel dan danny
  david dave dawit daudi
  deborah debbie debra deb
  dennis denis
  donald don donny
  dorothy dot dolly dorothea
  edward ed eddie ted ned eduard eduardo
  eleanor ellie nell nora
  elizabeth liz lizzie beth betty eliza elisabeth lisa bess elsie elspeth
  emmanuel emanuel manuel manny
  eugene gene
  florence flo
  francis frank fran francisco franz
  frances fran fanny
  frederick fred freddy friedrich frederic
  gabriel gabe
  george georg jorge
  gerald gerry jerry
  grace gracie
  gregory greg
  harold harry hal
  henry harry hank henri heinrich
  isaac ike isaak
  isabel isabella bella belle
  jacob jake jakob
  jacqueline jackie
  james jim jimmy jamie
  janet jan
  jennifer jen jenny
  jessica jess jessie
  joan joanna joanne jo
  john jon johnny jonny jack johann johannes juan jean ivan
  jonathan jon jonny
  joseph joe joey jose josef yusuf
  josephine jo josie
  joshua josh
  joyce joy
  judith judy
  julia julie jules
  justin justus
  kenneth ken kenny
  kevin kev
  kimberly kim
  lawrence larry laurence laurie lorenz
  leonard len lenny leo
  louis lewis lou luis ludwig
  margaret maggie meg peggy marge margot greta rita margarete
  martha marty
  martin marty martim
  mary maria marie molly polly miriam mariam
  matthew matt matthias mateo
  maximilian max
  michael mike mick mickey michel miguel mikhail
  michelle shelly
  mohamed mohammed muhammad mohammad mohamad mo muhamed
  nancy nan
  nathaniel nathan nate nat
  nicholas nick nicky nico nicolas nikolai klaus
  olivia liv livvy
  oliver ollie
  pamela pam
  patricia pat patty trish tricia
  patrick pat paddy
  paul pablo pavel paolo
  peter pete pedro pierre piotr petro
  philip phil philippe
  rachel rachael
  raymond ray
  rebecca becky becca
  richard rick dick rich richie ricky ricardo
  robert rob bob bobby robbie bert roberto
  ronald ron ronnie
  rosemary rose rosie
  russell russ
  ruth ruthie
  samantha sam sammy
  samuel sam sammy
  sarah sara sally
  sebastian seb
  simon simeon
  sophia sophie
  stephen steven steve stefan stephan etienne
  stephanie steph
  susan sue susie suzanne susanna
  teresa theresa terry tess
  terence terry
  theodore ted theo teddy
  thomas tom tommy tomas
  timothy tim timmy
  valerie val
  veronica ronnie vera
  victor vic viktor
  victoria vicky tori
  vincent vince vinny
  virginia ginny
  vladimir vlad vova volodymyr wladimir
  walter walt wally
  william will bill billy willy liam wilhelm
  zachary zach zack
  kwame kwamina kwamena
  oluwaseun seun
  oluwatobi tobi
  temitope temi tope
  olufemi femi
  babatunde tunde
  adebayo bayo
  chukwuemeka emeka
  chinedu nedu
  chukwudi chudi
  ifeanyi ify
  ngozi ngo
  wanjiru shiru ciru
  wanjiku shiku ciku
  njoroge njoro
  achieng achi
  fatima fatuma fatou fatimah
  aisha aishatu aicha ayesha
  yusuf yusufu youssef yousef
  ousmane usman osman uthman
  abdullah abdullahi abdallah abdoulaye
  abubakar abubakari boubacar bakari
  ali aliyu
`;

const groupsOf = new Map<string, number[]>();
for (const [group, line] of forms.trim().split('\n').entries()) {
  for (const form of line.trim().split(' ')) groupsOf.set(form, [...(groupsOf.get(form) ?? []), group]);
}

/** Whether two words are forms of one first name; both in small letters, without accents. */
export function areShortForms(one: string, other: string): boolean {
  const groups = groupsOf.get(one);
  return groups !== undefined && groupsOf.get(other)?.some((group) => groups.includes(group)) === true;
}

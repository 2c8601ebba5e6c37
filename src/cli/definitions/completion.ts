import type { CommandDefinition } from '../command/command.ts';
import { choicesOf, type OptionDefinition } from '../options/options.ts';
import { commands, optionsOf } from './commands.ts';

/** The words that a completion offers for a command. */
interface Offered {
  readonly name: string;
  readonly description: string;
  readonly options: readonly OfferedOption[];
  /** Words for its first argument; empty for a file, or for a value that only a person knows. */
  readonly words: readonly string[];
  /** Whether its arguments are files. */
  readonly takesFiles: boolean;
}

/** An option with its choices loaded. */
type OfferedOption = OptionDefinition & { readonly choices: readonly string[] };

/** The completion script of a shell: bash, zsh or fish. */
export async function completionScript(shell: string): Promise<string> {
  const offered = await Promise.all(commands.map(offeredOf));
  switch (shell) {
    case 'bash':
      return bashScript(offered);
    case 'zsh':
      return zshScript(offered);
    default:
      return fishScript(offered);
  }
}

async function offeredOf(command: CommandDefinition): Promise<Offered> {
  const help: OptionDefinition[] = [
    { name: 'help', type: 'boolean', description: 'What the command does, and its options' },
    { name: 'help-all', type: 'boolean', description: 'The options that all commands share, too' },
  ];
  return {
    name: command.name,
    description: command.description,
    options: await Promise.all([...optionsOf(command), ...help].map(offeredOption)),
    words: command.arguments[0]?.choices ?? [],
    takesFiles: command.arguments.some(({ name }) => name === 'file' || name === 'export'),
  };
}

async function offeredOption(option: OptionDefinition): Promise<OfferedOption> {
  return { ...option, choices: await choicesOf(option) };
}

function takesValue({ type }: OptionDefinition): boolean {
  return type !== 'boolean';
}

/** What a shell offers for the value of an option: files, folders, or nothing. */
function completionOf({ valueName }: OptionDefinition, file: string, folder: string, other: string): string {
  return valueName === 'FILE' ? file : valueName === 'DIR' ? folder : other;
}

function bashScript(offered: readonly Offered[]): string {
  const values = allOptions(offered)
    .filter(takesValue)
    .map((option) => {
      const { name, choices } = option;
      if (choices.length > 0)
        return `    --${name}) COMPREPLY=($(compgen -W '${choices.join(' ')}' -- "$word")); return ;;`;
      const flag = completionOf(option, '-f', '-d', '');
      return `    --${name}) ${flag === '' ? '' : `compopt -o filenames; COMPREPLY=($(compgen ${flag} -- "$word")); `}return ;;`;
    });
  const cases = offered.map(({ name, options, words, takesFiles }) => {
    const rest = takesFiles
      ? 'compopt -o filenames; COMPREPLY=($(compgen -f -- "$word"))'
      : `COMPREPLY=($(compgen -W '${words.join(' ')}' -- "$word"))`;
    return `    ${name})
      if [[ $word == -* ]]; then COMPREPLY=($(compgen -W '${options.map((option) => `--${option.name}`).join(' ')}' -- "$word"))
      else ${rest}; fi ;;`;
  });
  const takingValue = allOptions(offered)
    .filter(takesValue)
    .map(({ name }) => `--${name}`);
  return `# bash completion for paybatch
_paybatch() {
  local word=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} command= isValue= each
  for each in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [[ $isValue ]]; then isValue=; continue; fi
    case $each in
      ${takingValue.join('|')}) isValue=1 ;;
      ${offered.map(({ name }) => name).join('|')}) command=$each; break ;;
    esac
  done
  COMPREPLY=()
  case $previous in
${values.join('\n')}
  esac
  case $command in
${cases.join('\n')}
    *) COMPREPLY=($(compgen -W '${offered.map(({ name }) => name).join(' ')} --help --help-all --version' -- "$word")) ;;
  esac
}
complete -F _paybatch paybatch
`;
}

function allOptions(offered: readonly Offered[]): OfferedOption[] {
  return [
    ...new Map(offered.flatMap(({ options }) => options).map((option) => [option.name, option])).values(),
  ];
}

function zshScript(offered: readonly Offered[]): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
  const specOf = (option: OfferedOption): string => {
    const { name, description, choices } = option;
    const text = description.replace(/[[\]\\:]/g, '\\$&');
    const value =
      choices.length > 0 ? `(${choices.join(' ')})` : completionOf(option, '_files', '_files -/', ' ');
    return quoted(`*--${name}[${text}]${takesValue(option) ? `:value:${value}` : ''}`);
  };
  const cases = offered.map(({ name, options, words, takesFiles }) => {
    const rest = takesFiles ? "'*:file:_files'" : `'*:argument:(${words.join(' ')})'`;
    return `    ${name})\n      _arguments ${[...options.map(specOf), rest].join(' \\\n        ')} ;;`;
  });
  const described = offered.map(
    ({ name, description }) => `    ${quoted(`${name}:${description.replaceAll(':', '\\:')}`)}`,
  );
  return `#compdef paybatch
# zsh completion for paybatch
_paybatch() {
  local -a commands
  commands=(
${described.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe 'command' commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
${cases.join('\n')}
  esac
}
if [ "$funcstack[1]" = _paybatch ]; then _paybatch "$@"; else compdef _paybatch paybatch; fi
`;
}

function fishScript(offered: readonly Offered[]): string {
  const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const names = offered.map(({ name }) => name).join(' ');
  const lines = offered.flatMap(({ name, description, options, words, takesFiles }) => {
    const isChosen = `-n '__fish_seen_subcommand_from ${name}'`;
    return [
      `complete -c paybatch -n 'not __fish_seen_subcommand_from ${names}' -a ${name} -d ${quoted(description)}`,
      ...(takesFiles ? [`complete -c paybatch ${isChosen} -F`] : []),
      ...(words.length === 0 ? [] : [`complete -c paybatch ${isChosen} -a '${words.join(' ')}'`]),
      ...options.map((option) => {
        const folders = " -x -a '(__fish_complete_directories)'";
        const takes = takesValue(option) ? completionOf(option, ' -r -F', folders, ' -x') : '';
        const values = option.choices.length > 0 ? ` -x -a '${option.choices.join(' ')}'` : takes;
        return `complete -c paybatch ${isChosen} -l ${option.name}${values} -d ${quoted(option.description)}`;
      }),
    ];
  });
  return `# fish completion for paybatch\ncomplete -c paybatch -f\n${lines.join('\n')}\n`;
}

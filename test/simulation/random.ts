/** Chance that a seed decides: the same seed gives the same numbers in the same order. */
export interface Random {
  /** From 0 (inclusive) to 1. */
  readonly fraction: () => number;
  readonly chance: (probability: number) => boolean;
  /** A whole number; both ends are possible. */
  readonly whole: (least: number, most: number) => number;
  readonly pick: <Item>(items: readonly Item[]) => Item;
  /** A UUID, version 4. */
  readonly uuid: () => string;
}

/** The generator mulberry32: 32 bits of state are enough, since every schedule has a seed of its own. */
export function createRandom(seed: number): Random {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) | 0;
  const bits = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const fraction = (): number => bits() / 4_294_967_296;
  const whole = (least: number, most: number): number => least + Math.floor(fraction() * (most - least + 1));
  return {
    fraction,
    whole,
    chance: (probability) => fraction() < probability,
    pick: (items) => {
      const item = items[whole(0, items.length - 1)];
      if (item === undefined) throw new Error('nothing to pick from');
      return item;
    },
    uuid: () => {
      const hex = [bits(), bits(), bits(), bits()].map((part) => part.toString(16).padStart(8, '0')).join('');
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
    },
  };
}

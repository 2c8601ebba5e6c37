/**
 * The name of what a batch imports, in the plural: `customers`. Which kinds there are, and in which order
 * they depend on each other, the registry of resources says.
 */
export type Kind = string;

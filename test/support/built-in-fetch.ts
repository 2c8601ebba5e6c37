/**
 * Node's `fetch` takes the connections of whichever undici was loaded first in the process: the one in Node, or the
 * package that the program uses, of another version, with which some of its requests hang. Loaded here, it is Node's.
 */
await fetch('data:,');

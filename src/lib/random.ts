/** Gives a point in [0, 1), evenly spread. */
export type Random = () => number

/**
 * The value below which a share `point` (0 to 1) of `figures` lies, by linear interpolation between the two nearest.
 * `NaN` for no figures.
 */
export function quantile(figures: readonly number[], point: number): number {
  const sorted = figures.toSorted((a, b) => a - b)
  const place = (sorted.length - 1) * point
  const below = sorted[Math.floor(place)] ?? Number.NaN
  const above = sorted[Math.ceil(place)] ?? Number.NaN
  return below + (above - below) * (place - Math.floor(place))
}

/** The median: half of the figures are above it, half below. */
export function median(figures: readonly number[]): number {
  return quantile(figures, 0.5)
}

/** `1234.5` as `1,235`, `12.34` as `12.3`, `0.1234` as `0.123`: three figures that mean something. */
export function threeFigures(value: number): string {
  if (!Number.isFinite(value)) return '-'
  const magnitude = Math.abs(value)
  if (magnitude >= 100) return Math.round(value).toLocaleString('en-US')
  return value.toFixed(magnitude >= 10 ? 1 : magnitude >= 1 ? 2 : 3)
}

/** A limit as it is set: `2000` as `2,000`, `0.9` as `0.9`, a long fraction with three figures. */
export function limitText(value: number): string {
  return Number.isInteger(value) ? value.toLocaleString('en-US') : String(Number(value.toPrecision(3)))
}

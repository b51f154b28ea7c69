/** TCP handles of this thread that are open: sockets and listeners. */
export function openSockets(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource.startsWith('TCP')).length
}

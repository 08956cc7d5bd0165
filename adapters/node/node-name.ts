import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

const bootIdFile = '/proc/sys/kernel/random/boot_id';
const bootIdCharacters = 8;
/** Index of the start time in `/proc/<pid>/stat`, counted after the program name (proc(5)). */
const startTimeAt = 19;
/** States of ended processes. */
const endedStates = ['Z', 'X'];

/** Host name and boot id of this machine. If the system has no boot id, a new unique string replaces the id. */
const space = `${hostname()}-${bootId() ?? process.hrtime.bigint().toString(36)}`;
const nameForm = /^(?<space>.+)\.(?<pid>\d+)\.(?<started>\d+)\.\d+$/;
let namesMade = 0;

/**
 * Returns a unique name for this node. It consists of host name, boot id (platform §15 rule 1), process id, and a
 * counter within the process.
 */
export function newNodeName(): string {
  namesMade += 1;
  return `${space}.${process.pid}.${startOf(process.pid) ?? 0}.${namesMade}`;
}

/**
 * Returns true if the name belongs to a process that has ended on this host since the last boot. In that case, this
 * node may take over the work of that process. Processes in other containers with the same host name count as ended.
 */
export function isFormerNode(name: string): boolean {
  const found = nameForm.exec(name)?.groups;
  if (found === undefined || found.space !== space) return false;
  const pid = Number(found.pid);
  return !isThere(pid) || (startOf(pid) ?? found.started) !== found.started;
}

function bootId(): string | null {
  return readIfThere(bootIdFile)?.slice(0, bootIdCharacters) ?? null;
}

/**
 * Returns the start time of a process in ticks since boot. Returns null if it is unknown, and '' if the process has
 * ended.
 */
function startOf(pid: number): string | null {
  const stat = readIfThere(`/proc/${pid}/stat`);
  if (stat === null) return null;
  // The program name is in brackets and may contain any character.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (endedStates.includes(fields[0] ?? '')) return '';
  return fields[startTimeAt] ?? null;
}

/** Returns true if the process exists. It may belong to another user. */
function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null; // not on Linux
  }
}

import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

const bootIdFile = '/proc/sys/kernel/random/boot_id';
const bootIdCharacters = 8;
/** Position of the start time in `/proc/<pid>/stat` behind the name of the program (proc(5)). */
const startTimeAt = 19;
/** A process that has ended and whose end its parent has not read. */
const endedStates = ['Z', 'X'];

/** Identifies the machine since it was switched on, as far as it can tell; otherwise a name that no other has. */
const space = `${hostname()}-${bootId() ?? process.hrtime.bigint().toString(36)}`;
const nameForm = /^(?<space>.+)\.(?<pid>\d+)\.(?<started>\d+)\.\d+$/;
let namesMade = 0;

/**
 * A name of this node for this start that no other has: host name and boot id (platform §15 rule 1), process, and its
 * count in the process.
 */
export function newNodeName(): string {
  namesMade += 1;
  return `${space}.${process.pid}.${startOf(process.pid) ?? 0}.${namesMade}`;
}

/**
 * Whether a node of this name has run on this host since it was switched on, in a process that has ended: this node may
 * then take over what it left. Containers that share a host name do not see each other's processes, so those seem to have
 * ended.
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

/** When the process was started, in ticks since boot; null if the system does not tell, '' if it has ended. */
function startOf(pid: number): string | null {
  const stat = readIfThere(`/proc/${pid}/stat`);
  if (stat === null) return null;
  // The program's name is in brackets and may contain any character.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (endedStates.includes(fields[0] ?? '')) return '';
  return fields[startTimeAt] ?? null;
}

/** A process of another user exists too. */
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
    return null; // no system that tells it so
  }
}

import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

const bootIdFile = '/proc/sys/kernel/random/boot_id';
const bootIdCharacters = 8;
/** Position of the start time in `/proc/<pid>/stat` after the program name (proc(5)). */
const startTimeAt = 19;
/** States of ended processes. */
const endedStates = ['Z', 'X'];

/** Identifies the boot of this machine. Without a boot id from the system, the result is a new unique string. */
const space = `${hostname()}-${bootId() ?? process.hrtime.bigint().toString(36)}`;
const nameForm = /^(?<space>.+)\.(?<pid>\d+)\.(?<started>\d+)\.\d+$/;
let namesMade = 0;

/**
 * Returns a unique name of this node: host name and boot id (platform §15 rule 1), process, and count in the process.
 */
export function newNodeName(): string {
  namesMade += 1;
  return `${space}.${process.pid}.${startOf(process.pid) ?? 0}.${namesMade}`;
}

/**
 * Returns true for the name of a process that has ended on this host since the host was booted. This node may take
 * over its work. Processes of other containers with the same host name are treated as ended.
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

/** Returns the start of a process in ticks since boot; null if unknown, '' for an ended process. */
function startOf(pid: number): string | null {
  const stat = readIfThere(`/proc/${pid}/stat`);
  if (stat === null) return null;
  // The program name is in brackets and may contain any character.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (endedStates.includes(fields[0] ?? '')) return '';
  return fields[startTimeAt] ?? null;
}

/** Returns true for an existing process, including processes of other users. */
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

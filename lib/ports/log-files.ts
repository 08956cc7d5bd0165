/** Which log files are read. */
export interface LogFilesRequest {
  /** Directories that may be read, and what lies in them. */
  readonly allowed: readonly string[];
  /** Null = the first of the allowed ones. */
  readonly directory: string | null;
  /** Names without a path; empty = the file that was written last. */
  readonly names: readonly string[];
  /** Of each file its last so many bytes. */
  readonly maxBytes: number;
}

export interface LogFile {
  readonly name: string;
  readonly text: Uint8Array;
}

/** Reads the log files of this node, for those who look into what went wrong (platform §12.6). */
export interface LogFiles {
  /** What there is of these files; null if the directory is none that may be read. */
  read(request: LogFilesRequest): Promise<readonly LogFile[] | null>;
}

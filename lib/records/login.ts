import type { Uuid } from '../values/ids/index.ts';

/** A login session (platform §6.2). Times are system time in milliseconds. */
export interface LoginSession {
  readonly recordId: number;
  readonly id: Uuid;
  /** SHA-256 of the cookie's value, in hex: who reads the table cannot log in with it. */
  readonly tokenHash: string;
  readonly userName: string;
  /** The session ends when the user's version is another. */
  readonly credentialVersion: number;
  readonly startedMs: number;
  readonly lastAccessMs: number;
  /** Address from which the login came. */
  readonly host: string | null;
}

/** A key that signs tokens (platform §7.1). Times are system time in milliseconds. */
export interface SigningKey {
  readonly recordId: number;
  readonly id: Uuid;
  /** Key id of token headers and of the published set. */
  readonly kid: string;
  /** Public part, as a JSON Web Key. */
  readonly publicKey: Readonly<Record<string, unknown>>;
  /** Private part, encrypted with the server key. */
  readonly privateKey: string;
  readonly createdMs: number;
}

/** Failed logins of one name or address (platform §6.4). Times are system time in milliseconds. */
export interface LoginFailures {
  readonly recordId: number;
  /** SHA-256 of what is counted, in hex: a password typed where the name belongs is not kept. */
  readonly subject: string;
  /** When they happened, oldest first; those inside the window only. */
  readonly failedAtMs: readonly number[];
  readonly lastFailureMs: number;
  readonly lockedUntilMs: number | null;
}

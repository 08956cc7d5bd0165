import type { TestDatabase } from '../databases.ts';
import type { AccountFacts } from './account-facts.ts';

/** Who tells a story of arrears: a caller of the library, or a client over HTTP. */
export interface Teller {
  readonly database: TestDatabase;
  /** Uploads a configuration, as XML. */
  upload(config: string): Promise<void>;
  account(parts: AccountParts): Promise<string>;
  subscribe(accountId: string, planName: string): Promise<void>;
  tag(accountId: string, definitionId: string): Promise<void>;
  untag(accountId: string, definitionId: string): Promise<void>;
  /** Pays all that the account has not paid, with its card. */
  payAll(accountId: string): Promise<void>;
  /** Whether cards are taken from now on. */
  cards(are: 'declined' | 'taken'): Promise<void>;
  /** Moves the clock and lets what is due be done. */
  runTo(when: string): Promise<void>;
  read(accountId: string): Promise<AccountFacts>;
  close(): Promise<void>;
}

export interface AccountParts {
  readonly hasCard: boolean;
  /** Who pays for it. */
  readonly payerId?: string;
}

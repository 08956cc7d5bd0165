import type { Ports } from '../../ports/index.ts';
import {
  type AccountEmail,
  type CallContext,
  MAX_EMAIL_CHARACTERS,
  type WithContext,
} from '../../records/index.ts';
import { authorshipOf } from '../../runtime/index.ts';
import { invalidField } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { checkStorable, isStorable } from '../../values/text/index.ts';
import { loadAccount } from '../storing/load-account.ts';
import { lockAccount } from '../storing/lock-account.ts';
import type { AccountEmailOperations } from './account-email-operations.ts';

/** Secondary addresses of accounts (§15). */
export class AccountEmailService implements AccountEmailOperations<WithContext> {
  readonly #ports: Pick<Ports, 'storage' | 'ids'>;

  constructor(ports: Pick<Ports, 'storage' | 'ids'>) {
    this.#ports = ports;
  }

  async emails(context: CallContext, accountId: Uuid): Promise<readonly AccountEmail[]> {
    return this.#ports.storage.read(context.tenant, async (session) => {
      await loadAccount(session, accountId);
      return session.accounts.findEmails([accountId]);
    });
  }

  async addEmail(context: CallContext, accountId: Uuid, email: string): Promise<void> {
    checkAddress(email);
    const { storage, ids } = this.#ports;
    await storage.write(context.tenant, authorshipOf(context), async (session) => {
      const account = await lockAccount(session, accountId);
      const known = await session.accounts.findEmails([accountId]);
      if (known.some((each) => each.email === email)) return;
      const added = {
        id: ids.next(),
        accountId,
        accountRecordId: account.recordId,
        email,
        isActive: true,
        createdDate: context.createdDate,
      };
      await session.accounts.insertEmails([added]);
    });
  }

  async removeEmail(context: CallContext, accountId: Uuid, email: string): Promise<void> {
    if (!isStorable(email)) return;
    await this.#ports.storage.write(context.tenant, authorshipOf(context), async (session) => {
      await lockAccount(session, accountId);
      const known = await session.accounts.findEmails([accountId]);
      await session.accounts.deactivateEmails(known.filter((each) => each.email === email));
    });
  }
}

function checkAddress(email: string): void {
  checkStorable('AccountEmailJson email', email);
  if (email !== '' && email.length <= MAX_EMAIL_CHARACTERS) return;
  const fault =
    email === ''
      ? 'needs to be set'
      : `is ${email.length} characters long; at most ${MAX_EMAIL_CHARACTERS} are allowed`;
  throw invalidField(`AccountEmailJson email ${fault}`, { field: 'email' });
}

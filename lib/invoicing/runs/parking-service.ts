import { lockAccount } from '../../accounts/index.ts';
import { SystemTag } from '../../control-tags/index.ts';
import type { Ports } from '../../ports/index.ts';
import { type CallContext, ObjectType, type Page, type PageRequest } from '../../records/index.ts';
import { authorshipOf } from '../../runtime/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { checkText } from '../../values/text/index.ts';
import type { AccountParking } from '../operations/invoice-operations.ts';
import { parkAccounts, unparkAccount } from './parking.ts';

/** Characters of the reason for which an operator parks an account, as of a comment. */
const MAX_PARKING_REASON_CHARACTERS = 255;

const DEFAULT_REASON = 'parked by an operator';

/** Parks accounts by hand, and lets automatic runs go on (§8.6). */
export class ParkingService {
  readonly #ports: Pick<Ports, 'storage' | 'ids'>;

  constructor(ports: Pick<Ports, 'storage' | 'ids'>) {
    this.#ports = ports;
  }

  async parked(context: CallContext, request: PageRequest): Promise<Page<AccountParking>> {
    const page = await this.#ports.storage.read(context.tenant, ({ tags }) =>
      tags.pageCarried({ objectType: ObjectType.ACCOUNT, definitionId: SystemTag.PARK }, request),
    );
    const rows = page.rows.map(({ objectId, createdDate }) => ({
      accountId: objectId,
      parkedDate: createdDate,
    }));
    return { ...page, rows };
  }

  async park(
    context: CallContext,
    accountId: Uuid,
    options: { readonly reason?: string } = {},
  ): Promise<void> {
    const reason = checkText('reason', options.reason ?? DEFAULT_REASON, MAX_PARKING_REASON_CHARACTERS);
    await this.#ports.storage.write(context.tenant, authorshipOf(context), async (session) => {
      const account = await lockAccount(session, accountId);
      await parkAccounts(session, [{ account, reason }], this.#ports.ids);
    });
  }

  async unpark(context: CallContext, accountId: Uuid): Promise<void> {
    await this.#ports.storage.write(context.tenant, authorshipOf(context), async (session) =>
      unparkAccount(session, await lockAccount(session, accountId)),
    );
  }
}

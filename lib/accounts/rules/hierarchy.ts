import type { Account } from '../../records/index.ts';
import { type BillingError, billingError, ErrorCode, invalidField } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';

type Member = Pick<Account, 'id' | 'parentAccountId' | 'isPaymentDelegatedToParent' | 'currency'>;

/** The relatives of an account. */
export interface Family {
  /** All ancestors by id. */
  readonly ancestors: ReadonlyMap<Uuid, Member>;
  readonly children: readonly Member[];
}

/**
 * Returns true if the parent pays for the account. If the account has no parent, the delegation flag has no effect (§7
 * rule 2).
 */
export function isPaidByParent(
  account: Pick<Account, 'parentAccountId' | 'isPaymentDelegatedToParent'>,
): boolean {
  return account.isPaymentDelegatedToParent && account.parentAccountId !== null;
}

/**
 * Checks the new state of an account (§7 rule 3).
 * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002) for an unknown parent; MISSING_OR_INVALID_FIELD for a
 * parent that is the account itself or its descendant, that delegates its own payments, or that has another currency.
 */
export function checkHierarchy(account: Member, family: Family): void {
  const { parentAccountId } = account;
  if (parentAccountId === null) return;
  if (parentAccountId === account.id || family.ancestors.has(account.id)) {
    throw invalidParentError(
      account,
      `is an ancestor of ${parentAccountId}, which therefore cannot be its parent`,
    );
  }
  const parent = family.ancestors.get(parentAccountId);
  if (parent === undefined) {
    throw billingError(
      ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID,
      `Account does not exist for id ${parentAccountId}`,
      { accountId: parentAccountId, field: 'parentAccountId' },
    );
  }
  if (isPaidByParent(account)) checkDelegation(account, parent, family.children);
}

function checkDelegation(account: Member, parent: Member, children: readonly Member[]): void {
  if (isPaidByParent(parent)) {
    throw invalidParentError(
      account,
      `cannot delegate payment to ${parent.id}, which delegates to its own parent`,
    );
  }
  const delegating = children.find(isPaidByParent);
  if (delegating !== undefined) {
    throw invalidParentError(
      account,
      `cannot delegate payment to a parent: ${delegating.id} delegates to it`,
    );
  }
  if (account.currency !== null && parent.currency !== null && account.currency !== parent.currency) {
    throw invalidParentError(
      account,
      `cannot delegate payment in ${account.currency} to ${parent.id}, whose currency is ${parent.currency}`,
    );
  }
}

function invalidParentError(account: Member, reason: string): BillingError {
  return invalidField(`Account ${account.id} ${reason}`, {
    accountId: account.id,
    parentAccountId: account.parentAccountId,
    field: 'parentAccountId',
  });
}

import type { Uuid } from '../../../lib/index.ts';
import type { TestEngine } from '../engine.ts';
import { factsByLibrary } from './account-facts.ts';
import type { StoryPlayer } from './dunning-stories.ts';

export function libraryPlayer(engine: TestEngine): StoryPlayer {
  const { acme, gateway } = engine;
  const ofAccount = (id: string) => ({ type: 'ACCOUNT', id: id as Uuid }) as const;
  return {
    database: engine.database,
    upload: (config) => acme.overdue.upload(config),
    account: async ({ hasCard, payerId }) => {
      const payer = payerId === undefined ? {} : { parentAccountId: payerId as Uuid };
      const input = { currency: 'USD', ...payer, isPaymentDelegatedToParent: payerId !== undefined };
      const { id } = await (hasCard ? engine.payingAccount(input) : acme.createAccount(input));
      return id;
    },
    subscribe: async (accountId, planName) => {
      await acme.createSubscription({ accountId: accountId as Uuid, planName });
      await engine.settle();
    },
    tag: async (accountId, definitionId) => {
      await acme.tags.add(ofAccount(accountId), [definitionId]);
      await engine.settle();
    },
    untag: async (accountId, definitionId) => {
      await acme.tags.remove(ofAccount(accountId), [definitionId]);
      await engine.settle();
    },
    payAll: async (accountId) => {
      await acme.invoicePayments.payAll({ accountId: accountId as Uuid });
      await engine.settle();
    },
    cards: async (are) =>
      gateway.configure(
        are === 'taken'
          ? { CONFIGURE_ACTION: 'ACTION_CLEAR' }
          : { CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_ERROR', METHODS: 'purchasePayment' },
      ),
    runTo: (when) => engine.runTo(when),
    read: (accountId) => factsByLibrary(acme, accountId as Uuid),
    close: () => engine.close(),
  };
}

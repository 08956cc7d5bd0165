import type { BundleContent } from '../../../lib/subscriptions/create/chosen-group.ts';
import { checkBundleTakes, chooseBundle } from '../../../lib/subscriptions/create/chosen-group.ts';
import { account, at, created, type Life, nextId } from '../../support/subscriptions/example.ts';
import { expectError } from '../../support/subscriptions/lifecycle.ts';
import { ErrorCode, expect } from '../../support/unit.ts';

const ours = account();
const now = at('2024-06-01');
const key = 'seat-7';

function contentOf(life: Life): BundleContent {
  return { bundle: life.bundle, subscriptions: [life.subscription], events: life.events };
}

function bundleWith(planName: string, from = '2024-05-01', owner = ours): BundleContent {
  return contentOf(created({ account: owner, request: { planName, bundleExternalKey: key }, now: at(from) }));
}

const running = bundleWith('solo-now');
const ended = bundleWith('term-3m', '2024-01-01');

interface Parts {
  readonly bundleId?: BundleContent['bundle']['id'];
  readonly bundleExternalKey?: string;
  readonly found?: BundleContent;
  readonly renameKeyIfUnused?: boolean;
}

function choose({
  bundleId,
  bundleExternalKey,
  found,
  renameKeyIfUnused = true,
}: Parts): BundleContent | null {
  const request = {
    accountId: ours.id,
    bundleId: bundleId ?? null,
    bundleExternalKey: bundleExternalKey ?? null,
  };
  return chooseBundle({ request, found, renameKeyIfUnused, now });
}

describe('Choice of the bundle', () => {
  it('the choice of the bundle makes a new one when the request names none, or a key that no bundle has', () => {
    expect(choose({})).to.equal(null);
    expect(choose({ bundleExternalKey: key })).to.equal(null);
  });

  it('the choice of the bundle takes the bundle named by id, with or without its key', () => {
    const { id } = running.bundle;
    expect(choose({ bundleId: id, found: running })).to.equal(running);
    expect(choose({ bundleId: id, bundleExternalKey: key, found: running })).to.equal(running);
  });

  it('the choice of the bundle takes the live bundle of the account with the key', () =>
    expect(choose({ bundleExternalKey: key, found: running })).to.equal(running));

  it('the choice of the bundle refuses an unknown bundle id', () =>
    expectError(() => choose({ bundleId: nextId() }), ErrorCode.SUBSCRIPTION_GET_INVALID_BUNDLE_ID));

  it('the choice of the bundle refuses the id of a bundle of another account', () => {
    const found = bundleWith('solo-now', '2024-05-01', account());
    const call = () => choose({ bundleId: found.bundle.id, found });
    expectError(call, ErrorCode.SUBSCRIPTION_CREATE_INVALID_ENTITLEMENT_SPECIFIER);
  });

  it('the choice of the bundle refuses an id together with a key that is not its own', () => {
    const call = () => choose({ bundleId: running.bundle.id, bundleExternalKey: 'other', found: running });
    expectError(
      call,
      ErrorCode.SUBSCRIPTION_CREATE_INVALID_ENTITLEMENT_SPECIFIER,
      /has the key seat-7, not other/,
    );
  });

  it('the choice of the bundle refuses the key of a live bundle of another account', () => {
    const found = bundleWith('solo-now', '2024-05-01', account());
    const call = () => choose({ bundleExternalKey: key, found });
    expectError(call, ErrorCode.SUBSCRIPTION_CREATE_ACTIVE_BUNDLE_KEY_EXISTS);
  });

  it('the choice of the bundle refuses the key of an ended bundle when it may not be renamed', () => {
    const call = () => choose({ bundleExternalKey: key, found: ended, renameKeyIfUnused: false });
    expectError(call, ErrorCode.SUBSCRIPTION_CREATE_ACTIVE_BUNDLE_KEY_EXISTS);
  });

  it('the choice of the bundle makes a new one with the key of an ended bundle, whosever it is', () => {
    expect(choose({ bundleExternalKey: key, found: ended })).to.equal(null);
    expect(
      choose({ bundleExternalKey: key, found: bundleWith('term-3m', '2024-01-01', account()) }),
    ).to.equal(null);
  });

  it('the choice of the bundle counts a bundle as live while its end lies ahead', () => {
    const found = bundleWith('term-3m', '2024-05-01');
    expect(choose({ bundleExternalKey: key, found })).to.equal(found);
  });

  it('the choice of the bundle uses a bundle of the account without any subscription again', () => {
    const found = { ...running, subscriptions: [], events: [] };
    expect(choose({ bundleExternalKey: key, found })).to.equal(found);
  });
});

describe('What a bundle takes', () => {
  const standalone = bundleWith('kit-monthly');

  it('takes a further STANDALONE among STANDALONE', () => {
    checkBundleTakes('STANDALONE', standalone);
  });

  for (const category of ['BASE', 'STANDALONE'] as const)
    it(`a bundle takes no ${category} beside a BASE`, () =>
      expectError(() => checkBundleTakes(category, running), ErrorCode.SUBSCRIPTION_CREATE_BP_EXISTS));

  it('takes no BASE beside STANDALONE', () => {
    const call = () => checkBundleTakes('BASE', standalone);
    expectError(call, ErrorCode.SUBSCRIPTION_CREATE_INVALID_ENTITLEMENT_SPECIFIER);
  });

  it('takes anything when it is empty', () => {
    checkBundleTakes('BASE', { ...running, subscriptions: [] });
  });
});

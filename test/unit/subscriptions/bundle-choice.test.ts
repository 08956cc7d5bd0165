import type { BundleContent } from '../../../lib/subscriptions/create/choose-group.ts';
import { checkBundleTakes, chooseBundle } from '../../../lib/subscriptions/create/choose-group.ts';
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

function choose({ bundleId, bundleExternalKey, found, renameKeyIfUnused = true }: Parts) {
  const request = {
    accountId: ours.id,
    bundleId: bundleId ?? null,
    bundleExternalKey: bundleExternalKey ?? null,
  };
  return chooseBundle({ request, found, renameKeyIfUnused, now });
}

describe('bundle selection', () => {
  it('creates a bundle if the request specifies no bundle or contains an unused key', () => {
    expect(choose({})).to.equal(null);
    expect(choose({ bundleExternalKey: key })).to.equal(null);
  });

  it('uses the bundle with the given id, with or without its key', () => {
    const { id } = running.bundle;
    expect(choose({ bundleId: id, found: running })).to.equal(running);
    expect(choose({ bundleId: id, bundleExternalKey: key, found: running })).to.equal(running);
  });

  it('uses the account’s live bundle with the key', () =>
    expect(choose({ bundleExternalKey: key, found: running })).to.equal(running));

  it('rejects an unknown bundle id', () =>
    expectError(() => choose({ bundleId: nextId() }), ErrorCode.SUBSCRIPTION_GET_INVALID_BUNDLE_ID));

  it('rejects the id of another account’s bundle', () => {
    const found = bundleWith('solo-now', '2024-05-01', account());
    const call = () => choose({ bundleId: found.bundle.id, found });
    expectError(call, ErrorCode.SUBSCRIPTION_CREATE_INVALID_ENTITLEMENT_SPECIFIER);
  });

  it('rejects an id with the key of a different bundle', () => {
    const call = () => choose({ bundleId: running.bundle.id, bundleExternalKey: 'other', found: running });
    expectError(
      call,
      ErrorCode.SUBSCRIPTION_CREATE_INVALID_ENTITLEMENT_SPECIFIER,
      /has the key seat-7, not other/,
    );
  });

  it('rejects the key of another account’s live bundle', () => {
    const found = bundleWith('solo-now', '2024-05-01', account());
    const call = () => choose({ bundleExternalKey: key, found });
    expectError(call, ErrorCode.SUBSCRIPTION_CREATE_ACTIVE_BUNDLE_KEY_EXISTS);
  });

  it('rejects the key of an ended bundle if that bundle cannot be renamed', () => {
    const call = () => choose({ bundleExternalKey: key, found: ended, renameKeyIfUnused: false });
    expectError(call, ErrorCode.SUBSCRIPTION_CREATE_ACTIVE_BUNDLE_KEY_EXISTS);
  });

  it('creates a bundle with the key of an ended bundle, regardless of the owner', () => {
    expect(choose({ bundleExternalKey: key, found: ended })).to.equal(null);
    expect(
      choose({ bundleExternalKey: key, found: bundleWith('term-3m', '2024-01-01', account()) }),
    ).to.equal(null);
  });

  it('treats a bundle as live until its future end', () => {
    const found = bundleWith('term-3m', '2024-05-01');
    expect(choose({ bundleExternalKey: key, found })).to.equal(found);
  });

  it('reuses the account’s bundle if the bundle has no subscriptions', () => {
    const found = { ...running, subscriptions: [], events: [] };
    expect(choose({ bundleExternalKey: key, found })).to.equal(found);
  });
});

describe('category check of a bundle', () => {
  const standalone = bundleWith('kit-monthly');

  it('accepts another STANDALONE subscription if the existing subscriptions are STANDALONE', () => {
    checkBundleTakes('STANDALONE', standalone);
  });

  for (const category of ['BASE', 'STANDALONE'] as const)
    it(`rejects a ${category} beside a BASE`, () =>
      expectError(() => checkBundleTakes(category, running), ErrorCode.SUBSCRIPTION_CREATE_BP_EXISTS));

  it('rejects a BASE subscription if the existing subscriptions are STANDALONE', () => {
    const call = () => checkBundleTakes('BASE', standalone);
    expectError(call, ErrorCode.SUBSCRIPTION_CREATE_INVALID_ENTITLEMENT_SPECIFIER);
  });

  it('accepts any category while the bundle is empty', () => {
    checkBundleTakes('BASE', { ...running, subscriptions: [] });
  });
});

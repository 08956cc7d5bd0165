import { expect } from 'chai';
import type { KindSettings, QueueSettings } from '../../../lib/runtime/queue/queue-settings.ts';
import {
  claimLanes,
  DEFAULT_QUEUE_SETTINGS,
  kindsWorkedOn,
  pollMsOf,
  reapLanes,
} from '../../../lib/runtime/queue/queue-settings.ts';
import {
  queueSettingsOf,
  serverConfiguration,
} from '../../../lib/tenants/configuration/server-configuration.ts';
import { recordingLogger } from '../../support/system-time.ts';

const minute = 60_000;

function withSettings(bus: Partial<KindSettings>, notification: Partial<KindSettings> = {}): QueueSettings {
  const { BUS, NOTIFICATION } = DEFAULT_QUEUE_SETTINGS;
  return { BUS: { ...BUS, ...bus }, NOTIFICATION: { ...NOTIFICATION, ...notification } };
}

describe('queue settings (platform §4.3)', () => {
  it('use the defaults when no property is set', () => {
    const { server } = serverConfiguration({}, recordingLogger());
    expect(queueSettingsOf(server)).to.eql(DEFAULT_QUEUE_SETTINGS);
    expect(DEFAULT_QUEUE_SETTINGS.BUS).to.eql({
      isOff: false,
      claimed: null,
      handledAtATime: null,
      leaseMs: minute / 2,
      pollMs: 3_000,
      maxFailures: 3,
      reapThresholdMs: 10 * minute,
      reapScheduleMs: 3 * minute,
      maxLapses: 10,
    });
  });

  for (const [kind, prefix, inner] of [
    ['BUS', 'org.service.persistent.bus.main.', ''],
    ['NOTIFICATION', 'org.killbill.notificationq.main.', 'notification.'],
  ] as const)
    it(`read the settings of ${kind} from ${prefix}…`, () => {
      const logger = recordingLogger();
      const { server } = serverConfiguration(
        {
          [`${prefix}max.failure.retry`]: 5,
          [`${prefix}claimed`]: '7',
          [`${prefix}claim.time`]: '2m',
          [`${prefix}sleep`]: '100',
          [`${prefix}${inner}nbThreads`]: '4',
          [`${prefix}reapThreshold`]: '6m',
          [`${prefix}reapSchedule`]: '1m',
          [`${prefix}maxReDispatchCount`]: '20',
          [`${prefix}${inner}off`]: 'true',
        },
        logger,
      );
      expect(logger.lines).to.eql([]);
      const settings = queueSettingsOf(server);
      expect(settings[kind]).to.eql({
        isOff: true,
        claimed: 7,
        handledAtATime: 4,
        leaseMs: 2 * minute,
        pollMs: 100,
        maxFailures: 5,
        reapThresholdMs: 6 * minute,
        reapScheduleMs: minute,
        maxLapses: 20,
      });
      const other = kind === 'BUS' ? 'NOTIFICATION' : 'BUS';
      expect(settings[other]).to.eql(DEFAULT_QUEUE_SETTINGS[other]);
    });

  it('make the queue skip a disabled kind of entry, and claim both kinds separately only if their settings differ or limit a kind', () => {
    const shapeOf = (settings: QueueSettings) =>
      claimLanes(settings).map(({ kind, limit, handledAtATime }) => [kind, limit, handledAtATime]);
    const unbounded = Number.POSITIVE_INFINITY;
    expect(shapeOf(withSettings({}))).to.eql([[null, 100, unbounded]]);
    expect(shapeOf(withSettings({ maxFailures: 9, maxLapses: 1 }))).to.eql([[null, 100, unbounded]]);
    expect(shapeOf(withSettings({ leaseMs: 1_000 }))).to.eql([
      ['BUS', 100, unbounded],
      ['NOTIFICATION', 100, unbounded],
    ]);
    expect(shapeOf(withSettings({ claimed: 5, handledAtATime: 2 }, { claimed: 5 }))).to.eql([
      ['BUS', 5, 2],
      ['NOTIFICATION', 5, unbounded],
    ]);
    expect(shapeOf(withSettings({ claimed: 5 }, { claimed: 5 })).map(([kind]) => kind)).to.eql([
      'BUS',
      'NOTIFICATION',
    ]);
    expect(shapeOf(withSettings({ isOff: true }))).to.eql([['NOTIFICATION', 100, unbounded]]);
    expect(shapeOf(withSettings({ isOff: true }, { isOff: true }))).to.eql([]);
  });

  it('make the queue reap enabled and disabled kinds of entries together unless the settings differ', () => {
    const off = withSettings({ isOff: true }, { isOff: true });
    const both = { kind: null, thresholdMs: 10 * minute, scheduleMs: 3 * minute, maxLapses: 10 };
    expect(reapLanes(off)).to.eql([both]);
    expect(reapLanes(withSettings({ reapThresholdMs: minute })).map(({ thresholdMs }) => thresholdMs)).to.eql(
      [minute, 10 * minute],
    );
    expect(reapLanes(withSettings({ leaseMs: 10 * minute }))).to.eql([both]);
    expect(
      reapLanes(withSettings({}, { maxLapses: 3 })).map(({ kind, maxLapses }) => [kind, maxLapses]),
    ).to.eql([
      ['BUS', 10],
      ['NOTIFICATION', 3],
    ]);
  });

  it('make the queue poll at the shortest interval of both kinds of entries', () => {
    expect(pollMsOf(withSettings({ pollMs: 50 }, { pollMs: 900 }))).to.equal(50);
    expect(pollMsOf(withSettings({ pollMs: 50, isOff: true }, { pollMs: 900 }))).to.equal(900);
    expect(pollMsOf(withSettings({ isOff: true }, { isOff: true }))).to.equal(3_000);
    expect(kindsWorkedOn(withSettings({ isOff: true }))).to.eql(['NOTIFICATION']);
  });
});

import { expect } from 'chai';
import { topicsNamed } from '../../../lib/queues/queue-export-service.ts';

describe('the queues that a caller names (platform §9.4)', () => {
  it('queues are named with or without their service, by their service, or not at all', () => {
    expect(topicsNamed({})).to.equal(null);
    const [full, short] = ['payment-service:retry', 'retry'];
    for (const queueName of [full, short]) expect(topicsNamed({ queueName })).to.deep.equal([full]);
    expect(topicsNamed({ serviceName: 'payment-service' })).to.deep.equal([full, 'payment-service:janitor']);
    expect(topicsNamed({ serviceName: 'payment-service', queueName: 'janitor' })).to.deep.equal([
      'payment-service:janitor',
    ]);
    for (const none of [{ queueName: 'nothing' }, { serviceName: 'invoice-service', queueName: short }])
      expect(topicsNamed(none)).to.deep.equal([]);
  });
});

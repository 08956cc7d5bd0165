import type { ModelTexts } from './model-text.ts';

const version = 'Version of this server';

const plugin = {
  bundleSymbolicName: 'Name of the package of the plugin',
  pluginKey: 'Key of the plugin in commands',
  version: 'Version of the plugin',
  isSelectedForStart: 'Whether it starts with the node',
  services: 'What it offers',
};

const pluginService = {
  about: 'What a plugin offers',
  properties: { serviceTypeName: 'Type of the service', registrationName: 'Name that it is known by' },
};

const node = {
  bootTime: 'When the node was started',
  lastUpdatedDate: 'When the node gave its last sign of life',
  apiVersion: version,
  platformVersion: version,
  commonVersion: version,
  pluginApiVersion: version,
};

const entry = {
  className: 'Type of the entry',
  eventJson: 'Content of the entry as JSON text',
  createdDate: 'When it was made',
  creatingOwner: 'Node that made it; empty: it is not kept',
  processingOwner: 'Node that works on it; empty: none',
  processingAvailableDate: 'When it is free again; empty: it is',
  processingState: 'What became of it',
  errorCount: 'How often it has failed',
  searchKey1: 'Number of the account; 0: it belongs to none',
  searchKey2: 'Number of the tenant',
};

const eventOf = {
  eventType: 'What happened',
  objectType: 'Type of the object that it happened to',
  objectId: 'Id of that object',
  accountId: 'Id of the account that it concerns; null: none',
  metaData: 'What else is told of it, as JSON text',
};

export const serverModels: ModelTexts = {
  NodeInfo: {
    about: 'A node of the deployment',
    properties: { ...node, kbVersion: version, pluginsInfo: 'Its plugins' },
  },
  PluginInfo: {
    about: 'A plugin of a node',
    properties: { ...plugin, state: 'Whether it runs' },
  },
  PluginServiceInfo: pluginService,
  NodeCommand: {
    about: 'What nodes are told to do',
    properties: {
      isSystemCommandType: 'Whether the command is one of the server; it is not looked at',
      nodeCommandType: 'Name of the command',
      nodeCommandProperties: 'What the command needs to know',
    },
  },
  NodeCommandProperty: {
    about: 'Something that a command needs to know',
    properties: { key: 'Name of it', value: 'Its value' },
  },
  HealthData: {
    about: 'How the deployment does',
    properties: {
      nodeInfos: 'Nodes that have given a sign of life lately',
      parkedAccounts: 'Accounts that are not invoiced since something failed, 50 at most',
      lateBusEvents: 'Bus entries that are due and not done, 100 at most',
      lateNotifications: 'Notifications that are due and not done, 100 at most',
      recentBusEvents: 'Bus entries that were done last, 100 at most',
      recentNotifications: 'Notifications that were done last, 100 at most',
      recentAccessLogs: 'Requests of the last days',
    },
  },
  HealthNodeInfo: {
    about: 'A node of the deployment',
    properties: {
      ...node,
      time: 'Clock of the machine, in milliseconds since 1970',
      kbClock: 'Clock of billing, as a date-time',
      killbillVersion: version,
      pluginInfos: 'Its plugins',
    },
  },
  HealthPluginInfo: {
    about: 'A plugin of a node',
    properties: { ...plugin, pluginState: 'Whether it runs' },
  },
  HealthPluginServiceInfo: pluginService,
  ParkedAccount: {
    about: 'An account that is not invoiced since something failed',
    properties: {
      accountRecordId: 'Number of the account',
      externalKey: 'Key of the account',
      parkedDate: 'Since when',
    },
  },
  BusEvent: { about: 'An entry of the bus: something happened', properties: entry },
  Notification: {
    about: 'A notification: something is due at a time',
    properties: {
      ...entry,
      queueName: 'Name of the queue',
      effectiveDate: 'When it is due',
      futureUserToken: 'Id of the request that caused it',
    },
  },
  AccessLog: {
    about: 'A request',
    properties: {
      hostName: 'Address of the caller',
      timeStamp: 'When it came',
      timestamp: 'When it came',
      method: 'HTTP method',
      uri: 'Path and query',
      statusCode: 'Status of the answer, as text',
      bytesSent: 'Length of the answer, as text; `-`: not known',
    },
  },
  SamplesForSampleKindAndHost: {
    about: 'What a node has measured of one thing over time',
    properties: {
      eventGroup: 'Group of what was measured',
      eventCategory: 'What was measured',
      sampleKind: 'What of it',
      sampleSerializationFormat: 'How the samples are written: `csv`',
      samples: 'Seconds since 1970 and value in turns, separated by commas',
    },
  },
  LateQueueEntry: {
    about: 'An entry of the queue that is due and not done',
    properties: {
      kind: 'Which queue it is in',
      topic: 'Type of a bus event, or queue of a notification',
      accountId: 'Id of the account that it belongs to; null: none',
      dueDate: 'When it was due',
      processingState: 'Whether somebody works on it',
      processingOwner: 'Node that works on it',
      errorCount: 'How often it has failed',
      reason: 'Why it failed last',
      availableDate: 'When it is tried again',
      cause: 'Why it is late',
      why: 'The same in words',
    },
  },
  Clock: {
    about: 'The test clock',
    properties: {
      currentUtcTime: 'What it shows',
      timeZone: 'Time zone that was asked for',
      localDate: 'Day in that time zone',
    },
  },
  EventFeed: {
    about: 'What has happened after a cursor',
    properties: { events: 'Events in their order', next: 'What to give as `after` next' },
  },
  FeedEvent: {
    about: 'Something that happened in the tenant',
    properties: {
      ...eventOf,
      eventId: 'Id of the event, as its push carries it',
      cursor: 'Place of the event; what to give as `after` to read on behind it',
      createdDate: 'When it happened',
    },
  },
  NotificationDelivery: {
    about: 'An event that goes, or went, to the callback of the tenant',
    properties: {
      ...eventOf,
      deliveryId: 'Id of the event, as the header `webhook-id` carries it',
      url: 'Where it goes',
      status: 'Whether it is to be sent, has arrived, was given up, or is wanted no more',
      attempts: 'How often it was sent',
      lastAttemptDate: 'When it was sent last',
      lastStatus: 'HTTP status of the last answer',
      lastError: 'Why it did not arrive last',
      nextAttemptDate: 'When it is sent next',
      createdDate: 'When it happened',
    },
  },
  NotificationSigningSecret: {
    about: 'The secret that signs what is sent to the callback of the tenant',
    properties: { secret: '`whsec_` and 32 bytes in base64' },
  },
};

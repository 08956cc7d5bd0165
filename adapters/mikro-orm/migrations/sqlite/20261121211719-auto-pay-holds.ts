import { Migration } from '@mikro-orm/migrations';

export class Migration20261121211719AutoPayHolds extends Migration {

  override name = 'Migration20261121211719AutoPayHolds';

  override up(): void | Promise<void> {
    this.addSql(`create table \`bw_auto_pay_holds\` (\`record_id\` integer not null primary key autoincrement, \`tenant_record_id\` integer not null, \`id\` text not null, \`account_id\` text not null, \`account_record_id\` integer not null, \`invoice_id\` text not null, \`attempt_id\` text not null, \`amount\` text not null, \`currency\` text not null, \`is_active\` integer not null, \`created_date\` integer not null);`);
    this.addSql(`create index \`bw_auto_pay_holds_account_index\` on \`bw_auto_pay_holds\` (\`tenant_record_id\`, \`account_record_id\`, \`record_id\`);`);
    this.addSql(`create unique index \`bw_auto_pay_holds_id_unique\` on \`bw_auto_pay_holds\` (\`id\`);`);
    this.addSql(`create unique index \`bw_auto_pay_holds_invoice_unique\` on \`bw_auto_pay_holds\` (\`tenant_record_id\`, \`invoice_id\`) where is_active;`);

    // A parked account carries the tag of the system from now on (accounts §12 rule 6), with its audit row.
    this.addSql(`insert into bw_tags (tenant_record_id, id, object_type, object_id, tag_definition_id, account_record_id, is_active, created_date)
      select tenant_record_id, lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-8' || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))), 'ACCOUNT', account_id, '00000000-0000-0001-0000-000000000001', account_record_id, 1, cast(unixepoch('subsec') * 1000 as integer)
      from bw_invoicing_states where parked order by record_id;`);
    this.addSql(`insert into bw_audit_log (tenant_record_id, id, table_name, target_id, target_record_id, account_record_id, change_type, change_date, changed_by, reason_code, comments, user_token, snapshot)
      select tenant_record_id, lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-8' || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))), 'TAG', id, record_id, account_record_id, 'INSERT', created_date, 'migration', null, null, lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-8' || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))), json_object('tagDefinitionId', tag_definition_id, 'objectId', object_id, 'objectType', object_type, 'isActive', json('true'))
      from bw_tags where tag_definition_id = '00000000-0000-0001-0000-000000000001' order by record_id;`);

    this.addSql(`alter table \`bw_invoicing_states\` drop column \`parked\`;`);
  }

}

package io.stele.protocol.wire;

import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.api.ApiJson;
import io.stele.protocol.api.catalog.MetadataChanges;
import io.stele.protocol.api.catalog.MetadataVersion;
import io.stele.protocol.api.catalog.RelationReply;
import io.stele.protocol.api.catalog.TableName;
import io.stele.protocol.api.scan.ShardScan;
import io.stele.protocol.api.scan.TablePlan;
import io.stele.protocol.api.snapshot.OpenTableReply;
import io.stele.protocol.api.snapshot.SnapshotReply;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The binary codec of {@link OpenTableReply} in OPEN_TABLE_REPLY frames; {@link OpenTable} is the
 * codec of the request:
 *
 * <pre>
 * layout 1 | flags 1
 *     | flag 1: relation: varint length, JSON of a RelationReply; else it has neither
 *     | flag 2: snapshot: id text, lsn 8, ttl millis 8
 *     | flag 4: changes: instance 8, catalog 8, statistics 8, count, each: schema text, table text
 *     | flag 8: all may be different
 *     | flag 16: count of plans, each: table id 8, schema version 4, token text (empty: none), from lsn 8,
 *       file count 4, has shards 1, if so shards (ShardScans)
 * </pre>
 *
 * <p>A definition with its statistics is JSON, because it is sent only to callers that do not have
 * it, and gains fields with each version.
 */
public final class OpenTableResult {
    private static final int RELATION = 1;
    private static final int SNAPSHOT = 2;
    private static final int CHANGES = 4;
    private static final int CHANGES_ALL = 8;
    private static final int PLANS = 16;
    private static final int ALL = 31;

    private static final int MIN_NAME_BYTES = 2;
    private static final int MIN_PLAN_BYTES = 8 + 4 + 1 + 8 + 4 + 1;

    private static final RelationReply NOTHING =
            new RelationReply(Optional.empty(), Optional.empty());

    private OpenTableResult() {}

    /**
     * @param version of the reader's protocol, at most {@link WireLimits#VERSION}
     */
    public static byte[] encode(OpenTableReply reply, int version) {
        boolean hasRelation =
                reply.relation().table().isPresent() || reply.relation().view().isPresent();
        PayloadWriter writer =
                new PayloadWriter(512)
                        .putByte(OpenTable.LAYOUT)
                        .putByte(
                                (hasRelation ? RELATION : 0)
                                        | (reply.snapshot().isPresent() ? SNAPSHOT : 0)
                                        | reply.changes().map(OpenTableResult::flags).orElse(0)
                                        | (reply.plans().isPresent() ? PLANS : 0));
        if (hasRelation) {
            writer.putSizedBytes(ApiJson.write(reply.relation()));
        }
        reply.snapshot()
                .ifPresent(
                        snapshot ->
                                writer.putText("snapshot id", snapshot.snapshotId())
                                        .putLong(snapshot.lsn().value())
                                        .putLong(snapshot.ttlMillis()));
        reply.changes().ifPresent(changes -> put(writer, changes));
        reply.plans()
                .ifPresent(
                        plans -> {
                            writer.putVarint(plans.size());
                            plans.forEach(plan -> put(writer, plan, version));
                        });
        return writer.toByteArray();
    }

    private static int flags(MetadataChanges changes) {
        return CHANGES | (changes.all() ? CHANGES_ALL : 0);
    }

    private static void put(PayloadWriter writer, MetadataChanges changes) {
        OpenTable.put(writer, changes.version());
        writer.putVarint(changes.relations().size());
        for (TableName name : changes.relations()) {
            writer.putText("schema", name.schemaName()).putText("table", name.tableName());
        }
    }

    private static void put(PayloadWriter writer, TablePlan plan, int version) {
        writer.putLong(plan.tableId().value())
                .putInt(plan.schemaVersion())
                .putText("token", plan.token().orElse(""))
                .putLong(plan.fromLsn())
                .putInt(plan.fileCount())
                .putByte(plan.shards().isPresent() ? 1 : 0);
        plan.shards().ifPresent(shards -> ShardScans.put(writer, shards, version));
    }

    /**
     * Decodes a reply.
     *
     * @throws SteleException INVALID_ARGUMENT if the frame is malformed or has another layout
     */
    public static OpenTableReply decode(Frame frame) {
        PayloadReader reader = new PayloadReader(FrameType.OPEN_TABLE_REPLY, frame);
        OpenTable.requireLayout(reader);
        try {
            return decode(reader);
        } catch (IllegalArgumentException wrong) {
            throw reader.malformed(wrong);
        }
    }

    private static OpenTableReply decode(PayloadReader reader) {
        int flags = reader.getFlags("flags", ALL);
        RelationReply relation =
                (flags & RELATION) != 0
                        ? ApiJson.read(reader.getSizedBytes("relation"), RelationReply.class)
                        : NOTHING;
        Optional<SnapshotReply> snapshot =
                (flags & SNAPSHOT) != 0 ? Optional.of(snapshot(reader)) : Optional.empty();
        Optional<MetadataChanges> changes =
                (flags & CHANGES) != 0
                        ? Optional.of(changes(reader, (flags & CHANGES_ALL) != 0))
                        : Optional.empty();
        Optional<List<TablePlan>> plans =
                (flags & PLANS) != 0 ? Optional.of(plans(reader)) : Optional.empty();
        reader.end();
        return new OpenTableReply(relation, snapshot, changes, plans);
    }

    private static SnapshotReply snapshot(PayloadReader reader) {
        String id = reader.getText("snapshot id");
        Lsn lsn = reader.getLsn("lsn");
        return new SnapshotReply(id, lsn, reader.getLong("ttl"));
    }

    private static MetadataChanges changes(PayloadReader reader, boolean all) {
        MetadataVersion version = OpenTable.version(reader);
        int count = reader.getCount("changed relations", MIN_NAME_BYTES);
        List<TableName> names = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            names.add(new TableName(reader.getText("schema"), reader.getText("table")));
        }
        return new MetadataChanges(version, all, names);
    }

    private static List<TablePlan> plans(PayloadReader reader) {
        int count = reader.getCount("plans", MIN_PLAN_BYTES);
        List<TablePlan> plans = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            plans.add(plan(reader));
        }
        return plans;
    }

    private static TablePlan plan(PayloadReader reader) {
        TableId table = reader.getTableId();
        int schemaVersion = reader.getInt("schema version");
        Optional<String> token = OpenTable.token(reader);
        long fromLsn = reader.getLong("from lsn");
        int fileCount = reader.getInt("file count");
        Optional<List<ShardScan>> shards =
                reader.getFlags("has shards", 1) != 0
                        ? Optional.of(ShardScans.get(reader))
                        : Optional.empty();
        return new TablePlan(table, schemaVersion, token, fromLsn, fileCount, shards);
    }
}

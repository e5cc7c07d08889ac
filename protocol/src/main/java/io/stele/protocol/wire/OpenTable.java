package io.stele.protocol.wire;

import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.api.catalog.MetadataVersion;
import io.stele.protocol.api.catalog.TableName;
import io.stele.protocol.api.catalog.TableRequest;
import io.stele.protocol.api.scan.CachedPlan;
import io.stele.protocol.api.snapshot.OpenTableRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The binary codec of {@link OpenTableRequest} in OPEN_TABLE frames, used instead of JSON because
 * every query waits for the request. A text is a varint length and UTF-8 bytes, a count is a
 * varint:
 *
 * <pre>
 * layout 1 | flags 1 | schema text | table text | ttl millis 8
 *     | flag 1: table id 8
 *     | flag 2: at least 8
 *     | flag 4: known: instance 8, catalog 8, statistics 8
 *     | flag 8: described
 *     | flag 16: count of ended, texts
 *     | flag 32: count of plans, each: table id 8, schema version 4, max cells 4, token text (empty: none)
 * </pre>
 */
public final class OpenTable {
    /** The only layout. */
    static final int LAYOUT = 1;

    private static final int TABLE_ID = 1;
    private static final int AT_LEAST = 2;
    private static final int KNOWN = 4;
    private static final int DESCRIBED = 8;
    private static final int ENDED = 16;
    private static final int PLANS = 32;
    private static final int ALL = 63;

    private static final int MIN_TEXT_BYTES = 1;
    private static final int MIN_PLAN_BYTES = 8 + 4 + 4 + MIN_TEXT_BYTES;

    private OpenTable() {}

    /**
     * Encodes a request. If the request does not state that the caller has the description, the
     * reply includes it.
     */
    public static byte[] encode(OpenTableRequest request) {
        PayloadWriter writer =
                new PayloadWriter(512)
                        .putByte(LAYOUT)
                        .putByte(flags(request))
                        .putText("schema", request.table().table().schemaName())
                        .putText("table", request.table().table().tableName())
                        .putLong(request.ttlMillis());
        request.table().tableId().ifPresent(id -> writer.putLong(id.value()));
        request.atLeast().ifPresent(lsn -> writer.putLong(lsn.value()));
        request.known().ifPresent(version -> put(writer, version));
        request.ended().ifPresent(ids -> putTexts(writer, ids));
        request.plans()
                .ifPresent(
                        plans -> {
                            writer.putVarint(plans.size());
                            plans.forEach(plan -> put(writer, plan));
                        });
        return writer.toByteArray();
    }

    private static int flags(OpenTableRequest request) {
        return (request.table().tableId().isPresent() ? TABLE_ID : 0)
                | (request.atLeast().isPresent() ? AT_LEAST : 0)
                | (request.known().isPresent() ? KNOWN : 0)
                | (request.described().orElse(false) ? DESCRIBED : 0)
                | (request.ended().isPresent() ? ENDED : 0)
                | (request.plans().isPresent() ? PLANS : 0);
    }

    static void put(PayloadWriter writer, MetadataVersion version) {
        writer.putLong(version.instance()).putLong(version.catalog()).putLong(version.statistics());
    }

    private static void putTexts(PayloadWriter writer, List<String> ids) {
        writer.putVarint(ids.size());
        ids.forEach(id -> writer.putText("ended", id));
    }

    private static void put(PayloadWriter writer, CachedPlan plan) {
        writer.putLong(plan.tableId().value())
                .putInt(plan.schemaVersion())
                .putInt(plan.maxCells())
                .putText("token", plan.token().orElse(""));
    }

    /**
     * Decodes a request.
     *
     * @throws SteleException INVALID_ARGUMENT if the frame is malformed, has another layout, or
     *     exceeds a limit
     */
    public static OpenTableRequest decode(Frame frame) {
        PayloadReader reader = new PayloadReader(FrameType.OPEN_TABLE, frame);
        requireLayout(reader);
        try {
            return decode(reader);
        } catch (IllegalArgumentException wrong) {
            throw reader.malformed(wrong);
        }
    }

    static void requireLayout(PayloadReader reader) {
        int layout = reader.getByte("layout");
        if (layout != LAYOUT) {
            throw reader.malformed("layout " + LAYOUT, layout & 0xFF);
        }
    }

    private static OpenTableRequest decode(PayloadReader reader) {
        int flags = reader.getFlags("flags", ALL);
        TableName name = new TableName(reader.getText("schema"), reader.getText("table"));
        long ttlMillis = reader.getLong("ttl");
        Optional<TableId> tableId =
                (flags & TABLE_ID) != 0 ? Optional.of(reader.getTableId()) : Optional.empty();
        Optional<Lsn> atLeast =
                (flags & AT_LEAST) != 0 ? Optional.of(reader.getLsn("at least")) : Optional.empty();
        Optional<MetadataVersion> known =
                (flags & KNOWN) != 0 ? Optional.of(version(reader)) : Optional.empty();
        Optional<List<String>> ended =
                (flags & ENDED) != 0 ? Optional.of(texts(reader)) : Optional.empty();
        Optional<List<CachedPlan>> plans =
                (flags & PLANS) != 0 ? Optional.of(plans(reader)) : Optional.empty();
        reader.end();
        return new OpenTableRequest(
                new TableRequest(name, tableId),
                ttlMillis,
                atLeast,
                known,
                Optional.of((flags & DESCRIBED) != 0),
                ended,
                plans);
    }

    static MetadataVersion version(PayloadReader reader) {
        return new MetadataVersion(
                reader.getLong("instance"),
                reader.getLong("catalog version"),
                reader.getLong("statistics version"));
    }

    private static List<String> texts(PayloadReader reader) {
        int count = reader.getCount("ended", MIN_TEXT_BYTES);
        List<String> texts = new ArrayList<>(Math.min(count, OpenTableRequest.MAX_ENDED));
        for (int i = 0; i < count; i++) {
            texts.add(reader.getText("ended"));
        }
        return texts;
    }

    private static List<CachedPlan> plans(PayloadReader reader) {
        int count = reader.getCount("plans", MIN_PLAN_BYTES);
        List<CachedPlan> plans = new ArrayList<>(Math.min(count, OpenTableRequest.MAX_PLANS));
        for (int i = 0; i < count; i++) {
            TableId table = reader.getTableId();
            int schemaVersion = reader.getInt("schema version");
            int maxCells = reader.getInt("max cells");
            plans.add(new CachedPlan(table, schemaVersion, token(reader), maxCells));
        }
        return plans;
    }

    static Optional<String> token(PayloadReader reader) {
        return Optional.of(reader.getText("token")).filter(token -> !token.isEmpty());
    }
}

package io.stele.connector.metadata.catalog;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.api.ApiJson;
import io.stele.protocol.api.catalog.RelationReply;
import io.stele.protocol.api.catalog.TableDescription;
import io.stele.protocol.api.catalog.TableStatistics;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.schema.ViewSchema;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An entry of the metadata cache: a table or view as a sidecar described it, with statistics of its
 * parts that were requested later. It can also state that no relation has the name. In a table's
 * description, the LSN of the last change is as of the description; it excludes no later change.
 *
 * <p>The description is immutable; the statistics are guarded by the lock of their map.
 */
public final class Relation {
    /** The reply for a name without a table or view. */
    public static final RelationReply NOTHING =
            new RelationReply(Optional.empty(), Optional.empty());

    /** Dashboards have some choices of partitions; each is some KB. */
    private static final int MAX_PARTS = 32;

    private static final long ENTRY_BYTES = 500;
    private static final long COLUMN_BYTES = 400; // with its statistics
    private static final long OWNER_BYTES = 100;

    private final RelationReply description;
    private final Map<ByteBuffer, TableStatistics> parts =
            new LinkedHashMap<>(4, 0.75f, true) {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<ByteBuffer, TableStatistics> eldest) {
                    return size() > MAX_PARTS;
                }
            };
    private volatile boolean used;

    public Relation(RelationReply description) {
        this.description = requireNonNull(description, "description is null");
    }

    public Optional<TableDescription> table() {
        return description.table();
    }

    public Optional<ViewSchema> view() {
        return description.view();
    }

    public boolean isNothing() {
        return table().isEmpty() && view().isEmpty();
    }

    /** The statistics of some files of the table; loaded once. */
    public TableStatistics statistics(
            ScanPredicate predicate, Supplier<TableStatistics> whereMissing) {
        ByteBuffer key = ByteBuffer.wrap(ApiJson.write(predicate));
        synchronized (parts) {
            @Nullable TableStatistics known = parts.get(key);
            if (known != null) {
                return known;
            }
        }
        TableStatistics loaded = whereMissing.get();
        synchronized (parts) {
            parts.put(key, loaded);
        }
        return loaded;
    }

    /** Records that a query found it in the cache. */
    public void markUsed() {
        used = true;
    }

    public boolean isUsed() {
        return used;
    }

    /** Its approximate heap size in bytes, without statistics of parts. */
    public long weightBytes() {
        return ENTRY_BYTES
                + table().map(
                                table ->
                                        table.schema().columns().size() * COLUMN_BYTES
                                                + table.schema().shardCount() * OWNER_BYTES)
                        .orElse(0L)
                + view().map(
                                view ->
                                        2L * view.definition().length()
                                                + 2L * view.refresh().orElse("").length())
                        .orElse(0L);
    }
}

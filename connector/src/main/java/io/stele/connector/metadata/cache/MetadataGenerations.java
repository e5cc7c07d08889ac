package io.stele.connector.metadata.cache;

import io.stele.protocol.api.catalog.MetadataChanges;
import io.stele.protocol.api.catalog.MetadataVersion;
import io.stele.protocol.api.catalog.TableName;
import io.trino.spi.connector.SchemaTableName;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The validity generations of metadata cache entries: a counter for each name, which grows with
 * each change that is received. An entry is cached under the generation that its name had before
 * the load. So an entry that a change overtook is found by no reader that has received the change.
 *
 * <p>Invariant: an entry that is cached under the present generation of a name is as the sidecar
 * would describe it at {@link #version} or later. Guarded by itself.
 */
final class MetadataGenerations {
    /**
     * The version before the first reply, to which every sidecar replies that everything may be
     * different.
     */
    static final MetadataVersion UNKNOWN = new MetadataVersion(0, -1, -1);

    private static final int MAX_NAMES = 10_000;

    private final Map<SchemaTableName, Long> names = new HashMap<>();
    private MetadataVersion version = UNKNOWN;
    private long last; // counts all changes
    private long ofAll; // the generation of names that are not in the map
    private long ofCatalog; // the generation of lists
    private long heardNanos;

    /** The version up to which a sidecar's changes were applied. */
    synchronized MetadataVersion version() {
        return version;
    }

    /**
     * A moment at which {@link #version} was the sidecar's, in nanoseconds of the caller's clock; 0
     * if there is none.
     */
    synchronized long heardNanos() {
        return heardNanos;
    }

    synchronized long of(SchemaTableName name) {
        return names.getOrDefault(name, ofAll);
    }

    synchronized long ofLists() {
        return ofCatalog;
    }

    /**
     * The version and the generation of a name, read together: entries of this generation are valid
     * as of this version.
     */
    synchronized Current current(SchemaTableName name) {
        return new Current(version, of(name));
    }

    /** A version and the generation of a name at it. */
    record Current(MetadataVersion version, long generation) {}

    /**
     * Applies changes since {@link #version}, or since an earlier one.
     *
     * @param nanos a moment before the sidecar's reply, in nanoseconds of the caller's clock
     * @param changed called with each name whose generation ends, before it does; must be quick
     * @return whether all generations ended
     */
    synchronized boolean apply(
            MetadataChanges changes, long nanos, Consumer<SchemaTableName> changed) {
        long allBefore = ofAll;
        MetadataVersion now = changes.version();
        if (now.instance() == version.instance() && now.isCoveredBy(version)) {
            if (now.equals(version)) {
                heardNanos = Math.max(heardNanos, nanos);
            }
            return false;
        }
        if (now.instance() != version.instance() || changes.all()) {
            endAll();
            version = now;
            heardNanos = nanos;
            return true;
        }
        if (now.catalog() > version.catalog()) {
            ofCatalog = ++last;
        }
        for (TableName table : changes.relations()) {
            SchemaTableName name = new SchemaTableName(table.schemaName(), table.tableName());
            changed.accept(name);
            end(name);
        }
        version =
                new MetadataVersion(
                        now.instance(),
                        Math.max(now.catalog(), version.catalog()),
                        Math.max(now.statistics(), version.statistics()));
        heardNanos = nanos;
        return ofAll != allBefore;
    }

    /** Ends the generation of a name, whether or not it changed. */
    synchronized void end(SchemaTableName name) {
        names.put(name, ++last);
        if (names.size() > MAX_NAMES) {
            endAll();
        }
    }

    /** Ends all generations. */
    synchronized void endAll() {
        names.clear();
        ofAll = ++last;
        ofCatalog = last;
    }
}

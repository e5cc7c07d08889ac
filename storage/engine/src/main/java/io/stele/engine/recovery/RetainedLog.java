package io.stele.engine.recovery;

import static java.util.Objects.requireNonNull;

import io.stele.engine.node.Shards;
import io.stele.engine.shard.record.RetainedRecords;
import io.stele.engine.wal.RecordType;
import io.stele.engine.wal.ReleasedRecords;
import io.stele.objectstore.NumberedName;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * Copies of log records that set-aside tables or stopped shards still need, stored before their
 * segments are deleted, and replayed first at the next start. They are in the store as {@code
 * kept/<shard>/<LSN of the last record, 20 digits>}. So no such table or shard retains the log of
 * the whole node, and nothing acknowledged is lost.
 *
 * <p>Invariant: an object is durable before a segment with its records is deleted. Invariant: for
 * each shard, records in the log at or below the last one stored here are either also stored here,
 * or in files. So a start replays the objects first, and skips these records in the log.
 *
 * <p>Guarded by itself; blocks on the store.
 */
public final class RetainedLog {
    public static final String FOLDER = "kept/";

    /** An object ends behind the record that reaches this, so it is below two records' limit. */
    private static final int OBJECT_BYTES = 16 << 20;

    private final ObjectStore store;
    private final Map<ShardId, NavigableSet<Long>> objects = new HashMap<>(); // their last LSNs

    private RetainedLog(ObjectStore store) {
        this.store = requireNonNull(store, "store is null");
    }

    /** Lists the records that earlier engines have stored. */
    public static RetainedLog load(ObjectStore store) throws IOException {
        RetainedLog retained = new RetainedLog(store);
        for (ObjectEntry entry : store.list(FOLDER)) {
            retained.add(entry.path().substring(FOLDER.length()));
        }
        return retained;
    }

    /** Notes an object; objects with other names are not ours and are ignored. */
    private void add(String name) {
        int end = Math.max(0, name.indexOf('/'));
        ShardNames.parse(name.substring(0, end))
                .ifPresent(
                        shard ->
                                NumberedName.parse(name.substring(end + 1))
                                        .ifPresent(objectsOf(shard)::add));
    }

    private NavigableSet<Long> objectsOf(ShardId shard) {
        return objects.computeIfAbsent(shard, id -> new TreeSet<>());
    }

    private static String path(ShardId shard, long lastLsn) {
        return FOLDER + shard + "/" + NumberedName.of(lastLsn);
    }

    /** The last LSN stored for a shard; {@link Lsn#MIN} if there is none. */
    synchronized Lsn last(ShardId shard) {
        NavigableSet<Long> retained = objects.get(shard);
        return retained == null || retained.isEmpty() ? Lsn.MIN : new Lsn(retained.last());
    }

    /** The shards with stored records. */
    synchronized List<ShardId> shards() {
        return objects.entrySet().stream()
                .filter(shard -> !shard.getValue().isEmpty())
                .map(Map.Entry::getKey)
                .toList();
    }

    /** The objects that have records of a shard, in log order. */
    synchronized List<String> objects(ShardId shard) {
        return objectsOf(shard).stream().map(lastLsn -> path(shard, lastLsn)).toList();
    }

    /**
     * Passes the records of an object to a consumer, in log order.
     *
     * @throws io.stele.protocol.SteleException CORRUPT_DATA when it cannot be read
     */
    void replay(ShardId shard, String object, Consumer consumer) throws IOException {
        RetainedLogObject.read(store.describe(object), shard, store.readFully(object))
                .forEach(one -> consumer.accept(one.lsn(), one.type(), one.payload(), one.whole()));
    }

    /** A consumer of the stored records. */
    @FunctionalInterface
    interface Consumer {
        /**
         * @param whole whether all records that the shard had in the segment were stored with it
         */
        void accept(Lsn lsn, RecordType type, ByteBuffer payload, boolean whole);
    }

    /** A consumer that stores the records that shards need from segments about to be deleted. */
    public ReleasedRecords keeper(Map<ShardId, RetainedRecords> needed) {
        return needed.isEmpty() ? ReleasedRecords.NONE : new Keeper(needed);
    }

    /** Deletes the objects that no shard needs any more. */
    public void forget(Shards.LogNeeds needs) throws IOException {
        List<ShardId> shards;
        synchronized (this) {
            shards = List.copyOf(objects.keySet());
        }
        for (ShardId shard : shards) {
            // A dropped table group has no shards any more
            Lsn flushed = needs.flushed().getOrDefault(shard, Lsn.MAX);
            if (!needs.retained().containsKey(shard)) {
                forget(shard, flushed);
            }
        }
    }

    private void forget(ShardId shard, Lsn flushed) throws IOException {
        List<Long> gone;
        synchronized (this) {
            gone = List.copyOf(objectsOf(shard).headSet(flushed.value(), true));
        }
        for (long lastLsn : gone) {
            store.delete(path(shard, lastLsn));
            synchronized (this) {
                objectsOf(shard).remove(lastLsn);
            }
        }
    }

    private synchronized void created(ShardId shard, long lastLsn) {
        objectsOf(shard).add(lastLsn);
    }

    private final class Keeper implements ReleasedRecords {
        private final Map<ShardId, RetainedRecords> needed;
        private final Map<ShardId, RetainedLogObject> open = new HashMap<>();

        private Keeper(Map<ShardId, RetainedRecords> needed) {
            this.needed = Map.copyOf(needed);
        }

        @Override
        public boolean wants(ShardId shard, Lsn first, Lsn last) {
            RetainedRecords records = needed.get(shard);
            return records != null
                    && records.mayBeIn(first, last)
                    && last.compareTo(last(shard)) > 0;
        }

        @Override
        public void take(ShardId shard, Lsn lsn, RecordType type, ByteBuffer payload)
                throws IOException {
            RetainedRecords records = needed.get(shard);
            if (records == null
                    || lsn.compareTo(last(shard)) <= 0
                    || !records.has(lsn, type, payload)) {
                return;
            }
            RetainedLogObject object =
                    open.computeIfAbsent(
                            shard, id -> new RetainedLogObject(id, records.tables().isEmpty()));
            object.add(lsn, type, payload);
            if (object.sizeBytes() >= OBJECT_BYTES) {
                store(shard, object);
                open.remove(shard);
            }
        }

        @Override
        public void finish() throws IOException {
            for (Map.Entry<ShardId, RetainedLogObject> one : open.entrySet()) {
                store(one.getKey(), one.getValue());
            }
            open.clear();
        }

        private void store(ShardId shard, RetainedLogObject object) throws IOException {
            store.put(path(shard, object.lastLsn()), object.encode());
            created(shard, object.lastLsn());
        }
    }
}

package io.stele.connector.read.affinity;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.airlift.slice.XxHash64;
import io.stele.protocol.schema.TableSchema;
import io.trino.spi.Node;
import io.trino.spi.NodeManager;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The assignment of a table's shards to preferred workers, by the affinity keys of splits, so that
 * a worker's cached data is used again.
 *
 * <p>A split has an affinity key, and the engine assigns keys to nodes by rendezvous hashing. If a
 * worker joins or leaves, only the keys that it gets or had move. Usually a shard has one key, so
 * that all caches of a worker are of the same shards. It has several keys, a power of two, in three
 * cases: too few shards for the workers, too many bytes to read in the shard, or running queries
 * that queue for it ({@link ShardQueues}). Twice as many keys leave half of the files where they
 * are.
 *
 * <p>The engine may choose a second node. The split names the first one, so that another node does
 * not fill its cache with exceptional reads ({@link
 * io.stele.connector.sidecar.CacheUse#SECOND_ACCESS}). This class repeats the choice of this engine
 * version (its {@code StableHostAddressProvider}); a test compares the two. Thread-safe.
 */
public final class PreferredWorkers {
    /** Least number of keys per worker, so that hashing spreads them evenly. */
    private static final int KEYS_OF_WORKER = 2;

    /** The most bytes of one key before it becomes two. */
    static final long BYTES_OF_KEY = 16L << 30;

    /** The size of a part of a file; parts of one file can have different preferred workers. */
    private static final long SECTION_BYTES = 256L << 20;

    /** The number of buckets in Trino's assignment. */
    private static final int BUCKETS = 2048;

    private final NodeManager nodes;

    @Inject
    public PreferredWorkers(NodeManager nodes) {
        this.nodes = requireNonNull(nodes, "nodes is null");
    }

    /**
     * The preferred workers for the splits of one scan, by the present workers.
     *
     * @param queues the present reads of the table's group
     */
    public OfScan of(TableSchema table, ShardQueues.Queues queues) {
        return new OfScan(
                table.tableGroup(),
                table.shardCount(),
                nodes.getWorkerNodes().stream()
                        .filter(node -> !node.isCoordinator())
                        .map(Node::getNodeIdentifier)
                        .toList(),
                queues);
    }

    /** Whether this node is a split's preferred worker; true for a split without one. */
    public boolean isPreferred(Optional<String> worker) {
        return worker.isEmpty() || worker.get().equals(nodes.getCurrentNode().getNodeIdentifier());
    }

    /** Whether a split that is planned on this node will probably also be read on it. */
    public boolean isReadHere(Optional<String> worker) {
        return isPreferred(worker) && nodes.getWorkerNodes().contains(nodes.getCurrentNode());
    }

    /**
     * The preferred worker of splits.
     *
     * @param key by which the engine chooses
     * @param node that it chooses first; empty if there are no workers
     */
    public record Choice(String key, Optional<String> node) {}

    /**
     * The preferred workers of a scan's splits, computed once for each key. Confined to one thread.
     */
    public static final class OfScan {
        private final String prefix;
        private final int shardCount;
        private final Map<String, Long> workers; // and the hash of each
        private final ShardQueues.Queues queues;
        private final Map<String, Choice> choices = new HashMap<>();

        /**
         * @param workers identifiers of the workers among which the engine chooses
         */
        OfScan(int tableGroup, int shardCount, List<String> workers, ShardQueues.Queues queues) {
            this.queues = requireNonNull(queues, "queues is null");
            this.prefix = "group " + tableGroup + " shard ";
            this.shardCount = shardCount;
            this.workers = new HashMap<>();
            workers.forEach(id -> this.workers.put(id, XxHash64.hash(id.getBytes(UTF_8))));
        }

        /**
         * The preferred worker of a part of a file.
         *
         * @param shardBytes bytes of all files that the scan has in the shard
         */
        public Choice of(int shard, long shardBytes, String path, long start) {
            int replicas = replicas(shard, shardBytes);
            long hash = XxHash64.hash(start / SECTION_BYTES, XxHash64.hash(path.getBytes(UTF_8)));
            int replica = (int) (hash & (replicas - 1));
            String key = prefix + shard + (replica == 0 ? "" : " replica " + replica);
            return choices.computeIfAbsent(key, this::choose);
        }

        /** The number of keys of a shard: a power of two. */
        int replicas(int shard, long shardBytes) {
            long most = (long) KEYS_OF_WORKER * Math.max(1, workers.size());
            long wanted =
                    Math.max(
                            Math.ceilDiv((long) KEYS_OF_WORKER * workers.size(), shardCount),
                            Math.ceilDiv(shardBytes, BYTES_OF_KEY));
            long spread = Math.min(queues.spread(shard, shardCount), most);
            return powerOfTwo(
                    Math.clamp(powerOfTwo(Math.clamp(wanted, 1, most)) * spread, 1, most));
        }

        private static int powerOfTwo(long atLeast) {
            int power = 1;
            while (power < atLeast) {
                power *= 2;
            }
            return power;
        }

        private Choice choose(String key) {
            long bucket = Math.floorMod(XxHash64.hash(key.getBytes(UTF_8)), BUCKETS);
            long bucketHash = XxHash64.hash(bucket);
            return new Choice(
                    key,
                    workers.entrySet().stream()
                            .max(
                                    Comparator.comparingLong(
                                            worker -> XxHash64.hash(worker.getValue(), bucketHash)))
                            .map(Map.Entry::getKey));
        }
    }
}

package io.stele.connector.read;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.airlift.slice.XxHash64;
import io.stele.protocol.schema.TableSchema;
import io.trino.spi.Node;
import io.trino.spi.NodeManager;
import java.util.List;
import java.util.Optional;

/**
 * Which worker reads what of a shard, so that what it cached is used again.
 *
 * <p>A split has an affinity key, and the engine gives keys homes by rendezvous hashing: if a
 * worker comes or goes, only what it gets or had moves. A shard has one key, so that all caches of
 * a worker are of the same shards, unless there are too few shards for the workers or the shard has
 * too much to read: then it has a power of two of them, and twice as many keys leave half of the
 * files where they are.
 *
 * <p>The engine may choose a second node. Which was the first is in the split, so that another one
 * does not fill its cache with what it reads by exception ({@link
 * io.stele.connector.sidecar.CacheUse#VISIT}). This class repeats how the engine of this version
 * chooses (its {@code StableHostAddressProvider}); a test compares the two. Thread-safe.
 */
public final class ShardHomes {
    /** Keys a worker, at least: so many that hashing spreads them. */
    private static final int KEYS_OF_WORKER = 2;

    /** What one key can be responsible for before it becomes two. */
    static final long BYTES_OF_KEY = 16L << 30;

    /** The parts of one file have homes of their own from this size on. */
    private static final long SECTION_BYTES = 256L << 20;

    /** The engine's. */
    private static final int BUCKETS = 2048;

    private final NodeManager nodes;

    @Inject
    public ShardHomes(NodeManager nodes) {
        this.nodes = requireNonNull(nodes, "nodes is null");
    }

    /** As of now, for one table. */
    Keys keys(TableSchema table) {
        return new Keys(
                table.tableGroup(),
                table.shardCount(),
                nodes.getWorkerNodes().stream().filter(node -> !node.isCoordinator()).toList());
    }

    /** Whether this node is a split's home; so is every node for one without. */
    boolean isHome(Optional<String> home) {
        return home.isEmpty() || home.get().equals(nodes.getCurrentNode().getNodeIdentifier());
    }

    /**
     * The keys of a table's splits.
     *
     * @param workers those that the engine chooses from
     */
    record Keys(int tableGroup, int shardCount, List<Node> workers) {
        Keys {
            workers = List.copyOf(workers);
        }

        /**
         * The key of a part of a file.
         *
         * @param shardBytes of all files that the scan has in the shard
         */
        String of(int shard, long shardBytes, String path, long start) {
            int replicas = replicas(shardBytes);
            String key = "group " + tableGroup + " shard " + shard;
            long hash = XxHash64.hash(start / SECTION_BYTES, XxHash64.hash(path.getBytes(UTF_8)));
            int replica = (int) (hash & (replicas - 1));
            return replica == 0 ? key : key + " replica " + replica;
        }

        /** A power of two. */
        int replicas(long shardBytes) {
            long wanted =
                    Math.max(
                            Math.ceilDiv((long) KEYS_OF_WORKER * workers.size(), shardCount),
                            Math.ceilDiv(shardBytes, BYTES_OF_KEY));
            long most = (long) KEYS_OF_WORKER * Math.max(1, workers.size());
            return powerOfTwo(Math.clamp(wanted, 1, most));
        }

        private static int powerOfTwo(long atLeast) {
            int power = 1;
            while (power < atLeast) {
                power *= 2;
            }
            return power;
        }

        /** The node that the engine gives a key first; empty if there are no workers. */
        Optional<String> home(String key) {
            long bucket = Math.floorMod(XxHash64.hash(key.getBytes(UTF_8)), BUCKETS);
            long bucketHash = XxHash64.hash(bucket);
            String best = null;
            long bestWeight = 0;
            for (Node worker : workers) {
                String id = worker.getNodeIdentifier();
                long weight = XxHash64.hash(XxHash64.hash(id.getBytes(UTF_8)), bucketHash);
                if (best == null || weight > bestWeight) {
                    best = id;
                    bestWeight = weight;
                }
            }
            return Optional.ofNullable(best);
        }
    }
}

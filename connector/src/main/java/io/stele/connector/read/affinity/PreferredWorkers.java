package io.stele.connector.read.affinity;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Comparator.comparing;
import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.airlift.slice.XxHash64;
import io.stele.protocol.api.scan.FileScan;
import io.stele.protocol.api.scan.ScanPlan;
import io.stele.protocol.api.scan.ShardScan;
import io.trino.spi.HostAddress;
import io.trino.spi.Node;
import io.trino.spi.NodeManager;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The assignment of column files to preferred workers, so that a worker's cached data is used
 * again. Files are placed in sections of 256 MiB, by {@link BoundedPlacement}: no worker has more
 * than 1.25 times the mean of a scan's bytes, and a worker that leaves moves little but its own
 * sections.
 *
 * <p>A split names the address of the worker that shall read it, and the engine chooses no other
 * one while that worker is active. If the queue of the preferred worker is long ({@link
 * WorkerQueues}), the address is that of the second choice. The split also names the preferred
 * worker, so that another one does not fill its cache with exceptional reads ({@link
 * io.stele.connector.sidecar.CacheUse#SECOND_ACCESS}). Thread-safe.
 */
public final class PreferredWorkers {
    /** The size of a part of a file; parts of one file can have different preferred workers. */
    static final long SECTION_BYTES = 256L << 20;

    /** Opening a section costs about as much as reading this much of it. */
    private static final long OPENING_BYTES = 2L << 20;

    private final NodeManager nodes;

    @Inject
    public PreferredWorkers(NodeManager nodes) {
        this.nodes = requireNonNull(nodes, "nodes is null");
    }

    /**
     * The preferred workers for the splits of one scan, among the present workers.
     *
     * @param plan of the whole scan: the placement does not depend on which of its files are read
     * @param queues the present reads of workers
     */
    public OfScan of(ScanPlan plan, WorkerQueues.Queues queues) {
        return new OfScan(
                nodes.getWorkerNodes().stream().filter(node -> !node.isCoordinator()).toList(),
                plan,
                queues);
    }

    /** A scan whose splits any worker may read and cache. */
    public static OfScan none() {
        return new OfScan(List.of(), new ScanPlan(0, 0, List.of()), WorkerQueues.Queues.NONE);
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
     * The worker that shall read a part of a file.
     *
     * @param preferred the worker that caches what it reads of it; empty: any worker
     * @param address the worker that the engine shall choose, which may be another one; empty: any
     *     worker
     */
    public record Choice(Optional<String> preferred, Optional<HostAddress> address) {
        static final Choice ANY = new Choice(Optional.empty(), Optional.empty());

        public Choice {
            requireNonNull(preferred, "preferred is null");
            requireNonNull(address, "address is null");
        }
    }

    /**
     * The choices for a scan's splits, and the bytes that each worker gets by them. Confined to one
     * thread.
     */
    public static final class OfScan {
        private final List<Node> workers;
        private final long[] hashes; // of the workers
        private final WorkerQueues.Queues queues;
        private final Map<String, int[]> placed = new HashMap<>(); // by path, of each section
        private final long[] bytes; // by worker

        /**
         * @param workers among which the engine chooses
         */
        OfScan(List<? extends Node> workers, ScanPlan plan, WorkerQueues.Queues queues) {
            this.queues = requireNonNull(queues, "queues is null");
            // In an order of their own, so that equal scores and loads mean the same worker
            this.workers =
                    workers.stream()
                            .map(Node.class::cast)
                            .sorted(comparing(Node::getNodeIdentifier))
                            .toList();
            this.hashes =
                    this.workers.stream()
                            .mapToLong(
                                    node -> XxHash64.hash(node.getNodeIdentifier().getBytes(UTF_8)))
                            .toArray();
            this.bytes = new long[this.workers.size()];
            if (!this.workers.isEmpty()) {
                place(plan.shards().stream().map(ShardScan::files).flatMap(List::stream).toList());
            }
        }

        private void place(List<FileScan> files) {
            int count = files.stream().mapToInt(file -> sections(file.sizeBytes())).sum();
            long[] sections = new long[count];
            long[] weights = new long[count];
            int next = 0;
            for (FileScan file : files) {
                long hash = hash(file.path());
                for (long start = 0; start < file.sizeBytes(); start += SECTION_BYTES) {
                    sections[next] = hash(hash, start);
                    weights[next++] =
                            OPENING_BYTES + Math.min(SECTION_BYTES, file.sizeBytes() - start);
                }
            }
            int[] chosen = BoundedPlacement.place(sections, weights, hashes);
            next = 0;
            for (FileScan file : files) {
                int[] ofFile = new int[sections(file.sizeBytes())];
                System.arraycopy(chosen, next, ofFile, 0, ofFile.length);
                placed.put(file.path(), ofFile);
                next += ofFile.length;
            }
        }

        private static int sections(long sizeBytes) {
            return Math.toIntExact(Math.ceilDiv(sizeBytes, SECTION_BYTES));
        }

        private static long hash(String path) {
            return XxHash64.hash(path.getBytes(UTF_8));
        }

        private static long hash(long ofPath, long start) {
            return XxHash64.hash(start / SECTION_BYTES, ofPath);
        }

        /** The choice for a split of a file of the plan. */
        public Choice of(String path, long start, long length) {
            if (workers.isEmpty()) {
                return Choice.ANY;
            }
            int[] ofFile = requireNonNull(placed.get(path), "Expected a file of the plan");
            int preferred = ofFile[(int) (start / SECTION_BYTES)];
            int chosen = workers.size() > 1 ? lessBusy(preferred, path, start) : preferred;
            bytes[chosen] += length;
            return new Choice(
                    Optional.of(id(preferred)), Optional.of(workers.get(chosen).getHostAndPort()));
        }

        /** Alone, a scan uses preferred workers only: it does not count for how busy they are. */
        private int lessBusy(int preferred, String path, long start) {
            if (!queues.isLong(id(preferred))) {
                return preferred;
            }
            int second = BoundedPlacement.best(hash(hash(path), start), hashes, preferred);
            return queues.isBusy(id(preferred), id(second)) && queued(second) < queued(preferred)
                    ? second
                    : preferred;
        }

        private String id(int worker) {
            return workers.get(worker).getNodeIdentifier();
        }

        private long queued(int worker) {
            return queues.bytes(id(worker)) + bytes[worker];
        }

        /** The bytes of the splits that were chosen for each worker so far. */
        public Map<String, Long> bytes() {
            Map<String, Long> byWorker = new HashMap<>();
            for (int worker = 0; worker < bytes.length; worker++) {
                if (bytes[worker] > 0) {
                    byWorker.put(id(worker), bytes[worker]);
                }
            }
            return byWorker;
        }
    }
}

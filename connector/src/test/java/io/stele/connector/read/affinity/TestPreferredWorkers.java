package io.stele.connector.read.affinity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.trino.connector.DefaultNodeManager;
import io.trino.execution.scheduler.StableHostAddressProvider;
import io.trino.execution.scheduler.StableHostAddressProviderConfig;
import io.trino.node.InternalNode;
import io.trino.node.TestingInternalNodeManager;
import io.trino.spi.HostAddress;
import io.trino.spi.Node;
import io.trino.spi.NodeVersion;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TestPreferredWorkers {
    private static final long SMALL = 1 << 20;
    private static final int FILES = 40; // of each shard

    /** The engine's own class says where it would go. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 8})
    void theHomeIsWhereTheEngineGoesFirst(int workers) {
        List<InternalNode> nodes = nodes(workers);
        StableHostAddressProvider engine =
                new StableHostAddressProvider(
                        TestingInternalNodeManager.createDefault(Set.copyOf(nodes)),
                        new StableHostAddressProviderConfig());
        Map<String, HostAddress> addresses = new HashMap<>();
        nodes.forEach(node -> addresses.put(node.getNodeIdentifier(), node.getHostAndPort()));
        PreferredWorkers.OfScan keys = keys(16, nodes);
        for (PreferredWorkers.Choice worker : allChoices(keys)) {
            assertThat(engine.getHosts(worker.key()).getFirst())
                    .isEqualTo(addresses.get(worker.node().orElseThrow()));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4, 8})
    void everyWorkerHasFiles(int workers) {
        for (int shards : List.of(1, 4, 16, 64)) {
            Map<String, Integer> filesOf = new HashMap<>();
            preferredWorkers(shards, nodes(workers))
                    .values()
                    .forEach(worker -> filesOf.merge(worker, 1, Integer::sum));
            // At least two keys a worker on average, so few have none; no worker has it all
            assertThat(filesOf.size()).isGreaterThanOrEqualTo(Math.max(2, workers / 2));
            assertThat(filesOf.values()).allMatch(files -> files < shards * FILES * 0.9);
        }
    }

    @Test
    void aWorkerThatLeavesTakesOnlyWhatItHad() {
        List<InternalNode> eight = nodes(8);
        Map<String, String> before = preferredWorkers(64, eight);
        for (InternalNode gone : eight) {
            List<InternalNode> seven = new ArrayList<>(eight);
            seven.remove(gone);
            Map<String, String> after = preferredWorkers(64, seven);
            before.forEach(
                    (file, worker) -> {
                        if (!worker.equals(gone.getNodeIdentifier())) {
                            assertThat(after).containsEntry(file, worker);
                        }
                    });
        }
    }

    /** Where the number of keys a shard changes with the workers, more moves, but not all. */
    @Test
    void twiceAsManyKeysLeaveHalfOfTheFiles() {
        PreferredWorkers.OfScan four = keys(4, nodes(4));
        PreferredWorkers.OfScan five = keys(4, nodes(5));
        assertThat(four.replicas(0, SMALL)).isEqualTo(2);
        assertThat(five.replicas(0, SMALL)).isEqualTo(4);
        int same = 0;
        int all = 0;
        for (int shard = 0; shard < 4; shard++) {
            for (int file = 0; file < 1000; file++) {
                same +=
                        four.of(shard, SMALL, "f" + file, 0)
                                        .key()
                                        .equals(five.of(shard, SMALL, "f" + file, 0).key())
                                ? 1
                                : 0;
                all++;
            }
        }
        assertThat((double) same / all).isCloseTo(0.5, within(0.05));
    }

    @Test
    void aShardWithMuchToReadHasMoreKeys() {
        PreferredWorkers.OfScan keys = keys(64, nodes(4));
        assertThat(keys.replicas(0, 0)).isEqualTo(1);
        assertThat(keys.replicas(0, PreferredWorkers.BYTES_OF_KEY)).isEqualTo(1);
        assertThat(keys.replicas(0, PreferredWorkers.BYTES_OF_KEY + 1)).isEqualTo(2);
        assertThat(keys.replicas(0, 3 * PreferredWorkers.BYTES_OF_KEY)).isEqualTo(4);
        // Never more than twice the workers
        assertThat(keys.replicas(0, Long.MAX_VALUE)).isEqualTo(8);
    }

    /** Twenty queries that all want one shard are not one worker's alone, and end so. */
    @Test
    void aShardThatQueriesQueueForIsSpread() {
        Set<String> running = new HashSet<>();
        ShardQueues queues = new ShardQueues(running::contains);
        List<InternalNode> eight = nodes(8);
        Map<String, Long> cold = new HashMap<>();
        Map<String, Long> spread = new HashMap<>();
        long fileBytes = ShardQueues.HOT_BYTES / FILES;
        for (int query = 0; query < 20; query++) {
            PreferredWorkers.OfScan now = keys(64, eight, queues.of(3));
            PreferredWorkers.OfScan worker = keys(64, eight);
            for (int file = 0; file < FILES; file++) {
                String path = "data/7/" + file + ".orc";
                spread.merge(now.of(7, SMALL, path, 0).node().orElseThrow(), fileBytes, Long::sum);
                cold.merge(worker.of(7, SMALL, path, 0).node().orElseThrow(), fileBytes, Long::sum);
            }
            long[] bytes = new long[64];
            bytes[7] = FILES * fileBytes;
            running.add("query " + query);
            queues.add("query " + query, 3, bytes);
        }
        assertThat(cold).hasSize(1);
        assertThat(spread).hasSizeGreaterThan(4);
        long all = cold.values().iterator().next();
        assertThat(spread.values()).allMatch(bytes -> bytes < all / 2);
        // Others are read by theirs, and so is it when they have ended
        PreferredWorkers.OfScan hot = keys(64, eight, queues.of(3));
        assertThat(hot.replicas(7, SMALL)).isEqualTo(16);
        assertThat(hot.replicas(8, SMALL)).isEqualTo(1);
        assertThat(keys(64, eight, queues.of(4)).replicas(7, SMALL)).isEqualTo(1);
        running.clear();
        assertThat(keys(64, eight, queues.of(3)).replicas(7, SMALL)).isEqualTo(1);
        assertThat(queues.size()).isZero();
    }

    /** Where all shards are asked for alike, more keys would only make all caches colder. */
    @Test
    void shardsThatAreAllBusyStayAtHome() {
        ShardQueues queues = new ShardQueues(_ -> true);
        long[] bytes = new long[64];
        Arrays.fill(bytes, 100 * ShardQueues.HOT_BYTES);
        queues.add("query", 3, bytes);
        queues.add("query", 3, bytes);
        assertThat(keys(64, nodes(8), queues.of(3)).replicas(7, SMALL)).isEqualTo(1);
        bytes[7] *= 9;
        queues.add("another", 3, bytes);
        assertThat(keys(64, nodes(8), queues.of(3)).replicas(7, SMALL)).isEqualTo(1);
        queues.add("another", 3, bytes);
        queues.add("another", 3, bytes);
        assertThat(keys(64, nodes(8), queues.of(3)).replicas(7, SMALL)).isEqualTo(2);
    }

    @Test
    void partsOfOneFileStayTogetherUpToASection() {
        PreferredWorkers.OfScan keys = keys(1, nodes(8));
        Set<PreferredWorkers.Choice> near = new HashSet<>();
        Set<PreferredWorkers.Choice> far = new HashSet<>();
        for (int part = 0; part < 64; part++) {
            near.add(keys.of(0, SMALL, "f", part * (1L << 20)));
            far.add(keys.of(0, SMALL, "f", part * (256L << 20)));
        }
        assertThat(near).hasSize(1);
        assertThat(far.size()).isGreaterThan(8);
    }

    @Test
    void oneNodeIsEverybodysHome() {
        InternalNode coordinator = TestingInternalNodeManager.CURRENT_NODE;
        PreferredWorkers preferredWorkers =
                new PreferredWorkers(
                        new DefaultNodeManager(
                                coordinator, TestingInternalNodeManager.createDefault(), true));
        // The engine gives no key a worker where there are no workers beside the coordinator
        Optional<String> worker = keys(4, List.of()).of(1, SMALL, "f", 0).node();
        assertThat(worker).isEmpty();
        assertThat(preferredWorkers.isPreferred(worker)).isTrue();
        assertThat(preferredWorkers.isPreferred(Optional.of(coordinator.getNodeIdentifier())))
                .isTrue();
        assertThat(preferredWorkers.isPreferred(Optional.of("another"))).isFalse();
        // Only a coordinator that works itself reads what it plans
        assertThat(preferredWorkers.isReadHere(worker)).isTrue();
        assertThat(preferredWorkers.isReadHere(Optional.of("another"))).isFalse();
        PreferredWorkers ofOthers =
                new PreferredWorkers(
                        new DefaultNodeManager(
                                coordinator,
                                TestingInternalNodeManager.createDefault(Set.copyOf(nodes(2))),
                                false));
        assertThat(ofOthers.isPreferred(worker)).isTrue();
        assertThat(ofOthers.isReadHere(worker)).isFalse();
    }

    private static PreferredWorkers.OfScan keys(int shards, List<? extends Node> workers) {
        return keys(shards, workers, ShardQueues.Queues.NONE);
    }

    private static PreferredWorkers.OfScan keys(
            int shards, List<? extends Node> workers, ShardQueues.Queues queues) {
        return new PreferredWorkers.OfScan(
                3, shards, workers.stream().map(Node::getNodeIdentifier).toList(), queues);
    }

    private static Set<PreferredWorkers.Choice> allChoices(PreferredWorkers.OfScan keys) {
        Set<PreferredWorkers.Choice> all = new HashSet<>();
        for (int shard = 0; shard < 16; shard++) {
            for (int file = 0; file < FILES; file++) {
                all.add(keys.of(shard, SMALL, "data/" + file + ".orc", 0));
            }
        }
        return all;
    }

    /** The preferred worker of each file. */
    private static Map<String, String> preferredWorkers(int shards, List<InternalNode> workers) {
        PreferredWorkers.OfScan keys = keys(shards, workers);
        Map<String, String> preferredWorkers = new HashMap<>();
        for (int shard = 0; shard < shards; shard++) {
            for (int file = 0; file < FILES; file++) {
                String path = "data/" + shard + "/" + file + ".orc";
                preferredWorkers.put(path, keys.of(shard, SMALL, path, 0).node().orElseThrow());
            }
        }
        return preferredWorkers;
    }

    private static List<InternalNode> nodes(int count) {
        List<InternalNode> nodes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            nodes.add(
                    new InternalNode(
                            "worker-" + i,
                            URI.create("http://127.0.0.1:" + (9000 + i)),
                            NodeVersion.UNKNOWN,
                            false));
        }
        return nodes;
    }
}

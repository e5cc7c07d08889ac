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

final class TestShardHomes {
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
        ShardHomes.Homes keys = keys(16, nodes);
        for (ShardHomes.Home home : allHomes(keys)) {
            assertThat(engine.getHosts(home.key()).getFirst())
                    .isEqualTo(addresses.get(home.node().orElseThrow()));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4, 8})
    void everyWorkerHasFiles(int workers) {
        for (int shards : List.of(1, 4, 16, 64)) {
            Map<String, Integer> filesOf = new HashMap<>();
            homes(shards, nodes(workers))
                    .values()
                    .forEach(home -> filesOf.merge(home, 1, Integer::sum));
            // At least two keys a worker on average, so few have none; no worker has it all
            assertThat(filesOf.size()).isGreaterThanOrEqualTo(Math.max(2, workers / 2));
            assertThat(filesOf.values()).allMatch(files -> files < shards * FILES * 0.9);
        }
    }

    @Test
    void aWorkerThatLeavesTakesOnlyWhatItHad() {
        List<InternalNode> eight = nodes(8);
        Map<String, String> before = homes(64, eight);
        for (InternalNode gone : eight) {
            List<InternalNode> seven = new ArrayList<>(eight);
            seven.remove(gone);
            Map<String, String> after = homes(64, seven);
            before.forEach(
                    (file, home) -> {
                        if (!home.equals(gone.getNodeIdentifier())) {
                            assertThat(after).containsEntry(file, home);
                        }
                    });
        }
    }

    /** Where the number of keys a shard changes with the workers, more moves, but not all. */
    @Test
    void twiceAsManyKeysLeaveHalfOfTheFiles() {
        ShardHomes.Homes four = keys(4, nodes(4));
        ShardHomes.Homes five = keys(4, nodes(5));
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
        ShardHomes.Homes keys = keys(64, nodes(4));
        assertThat(keys.replicas(0, 0)).isEqualTo(1);
        assertThat(keys.replicas(0, ShardHomes.BYTES_OF_KEY)).isEqualTo(1);
        assertThat(keys.replicas(0, ShardHomes.BYTES_OF_KEY + 1)).isEqualTo(2);
        assertThat(keys.replicas(0, 3 * ShardHomes.BYTES_OF_KEY)).isEqualTo(4);
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
            ShardHomes.Homes now = keys(64, eight, queues.of(3));
            ShardHomes.Homes home = keys(64, eight);
            for (int file = 0; file < FILES; file++) {
                String path = "data/7/" + file + ".orc";
                spread.merge(now.of(7, SMALL, path, 0).node().orElseThrow(), fileBytes, Long::sum);
                cold.merge(home.of(7, SMALL, path, 0).node().orElseThrow(), fileBytes, Long::sum);
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
        // Others are at home, and so is it when they have ended
        ShardHomes.Homes hot = keys(64, eight, queues.of(3));
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
        ShardHomes.Homes keys = keys(1, nodes(8));
        Set<ShardHomes.Home> near = new HashSet<>();
        Set<ShardHomes.Home> far = new HashSet<>();
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
        ShardHomes homes =
                new ShardHomes(
                        new DefaultNodeManager(
                                coordinator, TestingInternalNodeManager.createDefault(), true));
        // The engine gives no key a home where there are no workers beside the coordinator
        Optional<String> home = keys(4, List.of()).of(1, SMALL, "f", 0).node();
        assertThat(home).isEmpty();
        assertThat(homes.isHome(home)).isTrue();
        assertThat(homes.isHome(Optional.of(coordinator.getNodeIdentifier()))).isTrue();
        assertThat(homes.isHome(Optional.of("another"))).isFalse();
        // Only a coordinator that works itself reads what it plans
        assertThat(homes.isReadHere(home)).isTrue();
        assertThat(homes.isReadHere(Optional.of("another"))).isFalse();
        ShardHomes ofOthers =
                new ShardHomes(
                        new DefaultNodeManager(
                                coordinator,
                                TestingInternalNodeManager.createDefault(Set.copyOf(nodes(2))),
                                false));
        assertThat(ofOthers.isHome(home)).isTrue();
        assertThat(ofOthers.isReadHere(home)).isFalse();
    }

    private static ShardHomes.Homes keys(int shards, List<? extends Node> workers) {
        return keys(shards, workers, ShardQueues.Queues.NONE);
    }

    private static ShardHomes.Homes keys(
            int shards, List<? extends Node> workers, ShardQueues.Queues queues) {
        return new ShardHomes.Homes(
                3, shards, workers.stream().map(Node::getNodeIdentifier).toList(), queues);
    }

    private static Set<ShardHomes.Home> allHomes(ShardHomes.Homes keys) {
        Set<ShardHomes.Home> all = new HashSet<>();
        for (int shard = 0; shard < 16; shard++) {
            for (int file = 0; file < FILES; file++) {
                all.add(keys.of(shard, SMALL, "data/" + file + ".orc", 0));
            }
        }
        return all;
    }

    /** The home of each file. */
    private static Map<String, String> homes(int shards, List<InternalNode> workers) {
        ShardHomes.Homes keys = keys(shards, workers);
        Map<String, String> homes = new HashMap<>();
        for (int shard = 0; shard < shards; shard++) {
            for (int file = 0; file < FILES; file++) {
                String path = "data/" + shard + "/" + file + ".orc";
                homes.put(path, keys.of(shard, SMALL, path, 0).node().orElseThrow());
            }
        }
        return homes;
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

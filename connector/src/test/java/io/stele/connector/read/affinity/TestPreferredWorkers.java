package io.stele.connector.read.affinity;

import static io.trino.testing.TestingHandles.TEST_CATALOG_HANDLE;
import static io.trino.testing.TestingSession.testSessionBuilder;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.connector.handle.FileSplitFixture;
import io.stele.protocol.ShardId;
import io.stele.protocol.api.scan.FileScan;
import io.stele.protocol.api.scan.ScanMode;
import io.stele.protocol.api.scan.ScanPlan;
import io.stele.protocol.api.scan.ShardScan;
import io.trino.connector.DefaultNodeManager;
import io.trino.execution.NodeTaskMap;
import io.trino.execution.scheduler.NodeSchedulerConfig;
import io.trino.execution.scheduler.StableHostAddressProvider;
import io.trino.execution.scheduler.StableHostAddressProviderConfig;
import io.trino.execution.scheduler.UniformNodeSelectorFactory;
import io.trino.metadata.Split;
import io.trino.node.InternalNode;
import io.trino.node.TestingInternalNodeManager;
import io.trino.spi.HostAddress;
import io.trino.spi.NodeVersion;
import io.trino.util.FinalizerService;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TestPreferredWorkers {
    private static final long SIZE = 32L << 20; // of a file

    /** The engine's own class chooses the nodes of splits. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 8})
    void theEngineReadsAFileOnItsPreferredWorker(int workers) {
        List<InternalNode> nodes = nodes(workers);
        PreferredWorkers.OfScan scan = scan(plan(64, SIZE), nodes);
        Map<Split, String> preferred = new HashMap<>();
        Set<Split> splits = new LinkedHashSet<>();
        for (int file = 0; file < 64; file++) {
            PreferredWorkers.Choice choice = scan.of(path(file), 0, SIZE);
            Split split =
                    new Split(
                            TEST_CATALOG_HANDLE,
                            new FileSplitFixture(path(file), SIZE)
                                    .readBy(choice.preferred(), choice.address())
                                    .build());
            splits.add(split);
            preferred.put(split, choice.preferred().orElseThrow());
        }
        assertThat(assign(nodes, splits)).isEqualTo(preferred);
    }

    /** Until the next plan, its splits are read by any worker, which does not cache them. */
    @Test
    void theSplitsOfAWorkerThatIsGoneAreReadElsewhere() {
        List<InternalNode> three = nodes(3);
        PreferredWorkers.OfScan scan = scan(plan(1, SIZE), three);
        PreferredWorkers.Choice choice = scan.of(path(0), 0, SIZE);
        List<InternalNode> two =
                three.stream()
                        .filter(
                                node ->
                                        !node.getNodeIdentifier()
                                                .equals(choice.preferred().orElseThrow()))
                        .toList();
        Split split =
                new Split(
                        TEST_CATALOG_HANDLE,
                        new FileSplitFixture(path(0), SIZE)
                                .readBy(choice.preferred(), choice.address())
                                .build());
        assertThat(assign(two, Set.of(split)).values())
                .hasSize(1)
                .isSubsetOf(two.stream().map(InternalNode::getNodeIdentifier).toList());
    }

    private static Map<Split, String> assign(List<InternalNode> nodes, Set<Split> splits) {
        TestingInternalNodeManager manager =
                TestingInternalNodeManager.createDefault(Set.copyOf(nodes));
        Map<Split, String> assigned = new HashMap<>();
        new UniformNodeSelectorFactory(
                        TestingInternalNodeManager.CURRENT_NODE,
                        manager,
                        new NodeSchedulerConfig().setIncludeCoordinator(false),
                        new NodeTaskMap(new FinalizerService()),
                        new StableHostAddressProvider(
                                manager, new StableHostAddressProviderConfig()))
                .createNodeSelector(testSessionBuilder().build())
                .computeAssignments(splits, List.of())
                .getAssignments()
                .forEach((node, split) -> assigned.put(split, node.getNodeIdentifier()));
        return assigned;
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 8, 16})
    void filesAreSpreadEvenly(int workers) {
        for (int files : List.of(64, 1000)) {
            Map<String, Integer> filesOf = new HashMap<>();
            preferredWorkers(files, nodes(workers))
                    .values()
                    .forEach(worker -> filesOf.merge(worker, 1, Integer::sum));
            assertThat(filesOf).hasSize(workers);
            assertThat(filesOf.values()).allMatch(count -> count <= 1.3 * files / workers);
        }
    }

    @Test
    void aWorkerThatLeavesTakesLittleButWhatItHad() {
        List<InternalNode> eight = nodes(8);
        Map<String, String> before = preferredWorkers(1000, eight);
        for (InternalNode gone : eight) {
            List<InternalNode> seven = new ArrayList<>(eight);
            seven.remove(gone);
            Map<String, String> after = preferredWorkers(1000, seven);
            assertThat(after.values()).doesNotContain(gone.getNodeIdentifier());
            assertThat(
                            before.keySet().stream()
                                    .filter(
                                            file ->
                                                    !before.get(file)
                                                            .equals(gone.getNodeIdentifier()))
                                    .filter(file -> !before.get(file).equals(after.get(file)))
                                    .count())
                    .isLessThanOrEqualTo(10);
        }
        assertThat(preferredWorkers(1000, eight.reversed())).isEqualTo(before);
    }

    @Test
    void partsOfOneFileStayTogetherUpToASection() {
        long size = 64 * PreferredWorkers.SECTION_BYTES;
        PreferredWorkers.OfScan scan = scan(plan(1, size), nodes(8));
        Set<PreferredWorkers.Choice> near = new HashSet<>();
        Map<PreferredWorkers.Choice, Integer> far = new HashMap<>();
        for (int part = 0; part < 64; part++) {
            near.add(scan.of(path(0), part * (1L << 20), 1 << 20));
            far.merge(
                    scan.of(path(0), part * PreferredWorkers.SECTION_BYTES, 1 << 20),
                    1,
                    Integer::sum);
        }
        assertThat(near).hasSize(1);
        assertThat(far).hasSize(8);
        assertThat(far.values()).allMatch(sections -> sections <= 10);
    }

    /** Twenty queries of one file are not one worker's alone, and later ones are again. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 8})
    void aBusyWorkerLeavesAPartToTheSecondChoice(int workers) {
        Set<String> running = new HashSet<>();
        WorkerQueues queues = new WorkerQueues(running::contains, 4 * SIZE);
        List<InternalNode> nodes = nodes(workers);
        ScanPlan plan = plan(1, SIZE);
        String preferred = scan(plan, nodes).of(path(0), 0, SIZE).preferred().orElseThrow();
        Map<HostAddress, Integer> readBy = new HashMap<>();
        for (int query = 0; query < 20; query++) {
            PreferredWorkers.OfScan scan = new PreferredWorkers.OfScan(nodes, plan, queues.now());
            PreferredWorkers.Choice choice = scan.of(path(0), 0, SIZE);
            assertThat(choice.preferred()).contains(preferred);
            readBy.merge(choice.address().orElseThrow(), 1, Integer::sum);
            running.add("query " + query);
            queues.add("query " + query, scan.bytes());
        }
        HostAddress first = address(nodes, preferred);
        assertThat(readBy).as("of the first choice and the second one").hasSize(2);
        assertThat(readBy.get(first)).isBetween(10, 15);
        running.clear();
        assertThat(
                        new PreferredWorkers.OfScan(nodes, plan, queues.now())
                                .of(path(0), 0, SIZE)
                                .address())
                .contains(first);
        assertThat(queues.size()).isZero();
    }

    /** Where all workers are busy alike, a second choice would only make all caches colder. */
    @Test
    void workersThatAreAllBusyReadTheirOwnFiles() {
        WorkerQueues queues = new WorkerQueues(_ -> true, SIZE);
        List<InternalNode> nodes = nodes(4);
        ScanPlan plan = plan(64, SIZE);
        for (int query = 0; query < 20; query++) {
            PreferredWorkers.OfScan scan = new PreferredWorkers.OfScan(nodes, plan, queues.now());
            for (int file = 0; file < 64; file++) {
                PreferredWorkers.Choice choice = scan.of(path(file), 0, SIZE);
                assertThat(choice.address())
                        .contains(address(nodes, choice.preferred().orElseThrow()));
            }
            queues.add("query " + query, scan.bytes());
        }
        assertThat(queues.size()).isEqualTo(20);
    }

    /** With a threshold of zero, a scan divides itself between both choices. */
    @Test
    void withoutAThresholdASecondChoiceReadsHalf() {
        WorkerQueues queues = new WorkerQueues(_ -> true, 0);
        PreferredWorkers.OfScan scan =
                new PreferredWorkers.OfScan(nodes(3), plan(1, 8 * SIZE), queues.now());
        List<Boolean> own = new ArrayList<>();
        for (int part = 0; part < 6; part++) {
            PreferredWorkers.Choice choice = scan.of(path(0), part * SIZE, SIZE);
            own.add(
                    choice.address()
                            .orElseThrow()
                            .equals(address(nodes(3), choice.preferred().orElseThrow())));
        }
        assertThat(own).containsExactly(true, false, true, false, true, false);
    }

    @Test
    void oneNodeIsPreferredForEverything() {
        InternalNode coordinator = TestingInternalNodeManager.CURRENT_NODE;
        PreferredWorkers preferredWorkers =
                new PreferredWorkers(
                        new DefaultNodeManager(
                                coordinator, TestingInternalNodeManager.createDefault(), true));
        ScanPlan plan = plan(1, SIZE);
        PreferredWorkers.Choice choice =
                preferredWorkers.of(plan, WorkerQueues.Queues.NONE).of(path(0), 0, SIZE);
        // A coordinator is never chosen, so that all is as before when a worker joins
        Optional<String> worker = choice.preferred();
        assertThat(worker).isEmpty();
        assertThat(choice.address()).isEmpty();
        assertThat(PreferredWorkers.none().of(path(0), 0, SIZE)).isEqualTo(choice);
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
        assertThat(
                        ofOthers.of(plan, WorkerQueues.Queues.NONE)
                                .of(path(0), 0, SIZE)
                                .preferred()
                                .orElseThrow())
                .startsWith("worker-");
    }

    private static PreferredWorkers.OfScan scan(ScanPlan plan, List<InternalNode> nodes) {
        return new PreferredWorkers.OfScan(nodes, plan, WorkerQueues.Queues.NONE);
    }

    /** The preferred worker of each file. */
    private static Map<String, String> preferredWorkers(int files, List<InternalNode> nodes) {
        PreferredWorkers.OfScan scan = scan(plan(files, SIZE), nodes);
        Map<String, String> preferredWorkers = new HashMap<>();
        for (int file = 0; file < files; file++) {
            preferredWorkers.put(
                    path(file), scan.of(path(file), 0, SIZE).preferred().orElseThrow());
        }
        return preferredWorkers;
    }

    private static String path(int file) {
        return "data/7/" + file + ".orc";
    }

    private static ScanPlan plan(int files, long sizeBytes) {
        return new ScanPlan(
                0,
                0,
                List.of(
                        new ShardScan(
                                new ShardId(3, 0),
                                IntStream.range(0, files)
                                        .mapToObj(file -> file(path(file), sizeBytes))
                                        .toList(),
                                false,
                                ScanMode.LIVE,
                                0)));
    }

    private static FileScan file(String path, long sizeBytes) {
        return new FileScan(
                path,
                sizeBytes,
                1,
                1,
                1,
                1,
                OptionalLong.empty(),
                OptionalLong.empty(),
                new byte[0],
                0,
                Map.of(),
                List.of(),
                OptionalLong.empty(),
                OptionalInt.empty(),
                Optional.empty(),
                false);
    }

    private static HostAddress address(List<InternalNode> nodes, String id) {
        return nodes.stream()
                .filter(node -> node.getNodeIdentifier().equals(id))
                .findFirst()
                .orElseThrow()
                .getHostAndPort();
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

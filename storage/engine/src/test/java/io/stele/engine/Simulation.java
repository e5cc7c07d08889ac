package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.manifest.ManifestStore;
import io.stele.engine.manifest.orc.OrcManifestBaseFormat;
import io.stele.engine.node.CacheOptions;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.shard.apply.ApplyOptions;
import io.stele.engine.status.EngineStatus;
import io.stele.engine.wal.InMemoryLogFiles;
import io.stele.engine.wal.LogFaults;
import io.stele.engine.wal.LogOptions;
import io.stele.objectstore.ForwardingObjectStore;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.StoreFaults;
import io.stele.objectstore.fault.CrashPoint;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.status.ShardStatus;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

/**
 * One run of some workloads over one node: it lives, fails, dies after a random write to its store
 * or log and starts again, several times, and after each death every workload checks what it knows.
 *
 * <p>Everything follows from the seed: which workloads, the options, the faults, the order of
 * tasks, the time that passes. The same seed gives the same {@link #traceHash}. One thread.
 */
final class Simulation {
    private static final int STEPS = 250; // of a life that does not end by a crash
    private static final int STEPS_WITHOUT_LOG = 20; // of one whose log has failed
    private static final int RESERVED_BYTES = 20 << 10; // of the log's disk

    private final SplittableRandom random;
    private final SimulatedNode node;
    private final long retentionMillis;
    private final List<Workload> workloads = new ArrayList<>();
    private final TraceHash trace = new TraceHash();
    private AssertionError failure;
    private int crashes;
    private int logFailures;
    private final SplittableRandom damageRandom; // of its own: seeds do otherwise what they did
    private final SplittableRandom spaceRandom; // of its own as well
    private int fullDisks;
    private boolean wasFull; // in this life
    private final SplittableRandom lossRandom; // of its own as well
    private boolean losesAnswers; // in this life
    private Optional<String> unanswered = Optional.empty(); // the index of the first such shard
    private Optional<Lost> lost = Optional.empty();
    private int givenUp;
    private Optional<Damaged> damaged = Optional.empty();
    private int damages;
    private StoreFaults faults = StoreFaults.NONE;
    private LogFaults logFaults = LogFaults.NONE;

    /**
     * @param names the workloads; empty: as the seed decides
     */
    Simulation(long seed, List<String> names) throws IOException {
        this(seed, names, Optional.empty());
    }

    /**
     * @param retention of the tables; empty: as the seed decides
     */
    Simulation(long seed, List<String> names, Optional<Duration> retention) throws IOException {
        this(seed, names, options -> retention.map(options::withRetention).orElse(options));
    }

    /**
     * @param change of the options that the seed decides on
     */
    Simulation(long seed, List<String> names, UnaryOperator<StorageOptions> change)
            throws IOException {
        random = new SplittableRandom(seed);
        damageRandom = new SplittableRandom(seed ^ 0x64616d616765L);
        spaceRandom = new SplittableRandom(seed ^ 0x7370616365L);
        lossRandom = new SplittableRandom(seed ^ 0x6c6f7373L);
        SplittableRandom optionsRandom = random.split();
        StorageOptions options =
                change.apply(phases(seed, smallLimits(seed, keyIndexes(options(optionsRandom)))));
        retentionMillis = options.retention().toMillis();
        boolean logInStore = random.split().nextInt(3) == 0;
        // A quarter, whatever else the seed decides
        boolean isEncrypted = Math.floorMod(seed, 4) == 3;
        node = SimulatedNode.start(options, seed, logInStore, isEncrypted, LosingStore::new);
        SplittableRandom choice = random.split();
        for (String name : names.isEmpty() ? choose(choice) : names) {
            trace.add(name);
            workloads.add(Workloads.make(name, this));
        }
    }

    private static StorageOptions options(SplittableRandom random) {
        // Segments of a few groups, so that most of the log is trimmed away in every life.
        return StorageOptions.DEFAULT
                .withLog(
                        new LogOptions(
                                4 << 10, 4 << 10, 1 << 20, 1 << 20, RESERVED_BYTES, Duration.ZERO))
                .withMemTables(1_000 + random.nextInt(8_000), 10_000_000, Duration.ofSeconds(20))
                .withRetention(Duration.ofMillis(random.nextBoolean() ? 1 : 60_000))
                // of all sizes from files of a few rows, in many levels, to one level of one file
                .withTargetFileBytes(1_000L << random.nextInt(16))
                .withCollectionGrace(Duration.ofMillis(1))
                .withLoadBuffer(2 << 10) // several files for a few hundred rows
                .withApply(apply(random))
                // A base after each change, after some, or never
                .withManifestChanges(1 << 3 * random.nextInt(4));
    }

    /** For half of the seeds, no key index stays in memory: a lost one is missed at once. */
    private StorageOptions keyIndexes(StorageOptions options) {
        CacheOptions caches = options.caches();
        return lossRandom.nextBoolean()
                ? options
                : options.withCaches(
                        new CacheOptions(
                                caches.rowBlockBytes(),
                                1,
                                caches.footerBytes(),
                                caches.rowGroupBytes(),
                                caches.decodedColumnBytes(),
                                caches.rowBytes()));
    }

    /** For half of the seeds, transactions are soon larger than a record, and soon too large. */
    private static StorageOptions smallLimits(long seed, StorageOptions options) {
        if (Math.floorMod(seed, 2) == 0) {
            return options;
        }
        LogOptions log = options.log();
        return options.withTransactions(60_000, options.transactionIdle())
                .withLog(
                        new LogOptions(
                                log.segmentBytes(),
                                log.groupBytes(),
                                log.queueBytes(),
                                20_000,
                                log.reservedBytes(),
                                log.pause()));
    }

    /** A third of the seeds commits small transactions in one phase, a third all, a third none. */
    private static StorageOptions phases(long seed, StorageOptions options) {
        return switch (Math.floorMod(seed, 3)) {
            case 0 -> options.withOnePhase(1 << 20);
            case 1 -> options.withOnePhase(600);
            default -> options.withOnePhase(0);
        };
    }

    /** One apply worker, several from the start, or as many as the load makes of one. */
    private static ApplyOptions apply(SplittableRandom random) {
        int most = 1 + random.nextInt(4);
        int least = random.nextBoolean() ? most : 1;
        return new ApplyOptions(least, most, random.nextInt(3), 1 + random.nextInt(2000));
    }

    private static List<String> choose(SplittableRandom random) {
        List<String> names = new ArrayList<>(Workloads.names());
        for (int i = names.size() - 1; i > 0; i--) {
            Collections.swap(names, i, random.nextInt(i + 1));
        }
        return names.subList(0, 1 + random.nextInt(3));
    }

    SimulatedNode node() {
        return node;
    }

    /** The only workload. */
    Workload workload() {
        return workloads.getFirst();
    }

    /** How long obsolete versions stay readable. */
    long retentionMillis() {
        return retentionMillis;
    }

    /** A generator of the caller's own. */
    SplittableRandom newRandom() {
        return random.split();
    }

    /** Makes something that happened a part of what two runs of a seed must have in common. */
    void trace(String event) {
        trace.add(event);
    }

    /** Lets a request go: whether it got through shows later. */
    static void ignore(CompletableFuture<?> future) {
        future.exceptionally(failed -> null);
    }

    /** Ends the run: for what is found where nobody would see it thrown, as in a future. */
    void fail(AssertionError found) {
        failure = failure == null ? found : failure;
    }

    private void throwIfFailed() {
        if (failure != null) {
            throw failure;
        }
    }

    void run() throws IOException {
        int lives = 2 + random.nextInt(3);
        for (int life = 0; life < lives; life++) {
            if (damageRandom.nextInt(4) == 0) {
                damage();
            }
            losesAnswers = lossRandom.nextInt(4) == 0;
            restartUntilUp();
            live();
            checkLog();
            restart(CrashPoint.never(), StoreFaults.NONE, LogFaults.NONE, this::repair);
            checkManifests();
            for (Workload workload : workloads) {
                workload.check();
            }
        }
        for (Workload workload : workloads) {
            workload.finish();
            trace.add(workload.acknowledged());
        }
        throwIfFailed();
        assertThat(node.uncaught()).isEmpty();
        traceNode();
    }

    int crashes() {
        return crashes;
    }

    /** How many lives had a damaged object. */
    int damages() {
        return damages;
    }

    /** Whether an object, as failures describe it, was damaged or lost in the present life. */
    boolean isDamaged(String object) {
        return damaged.filter(known -> object.endsWith(known.path())).isPresent()
                || lost.filter(known -> known.has(object)).isPresent();
    }

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Damaged(String path, byte[] content) {}

    /** While the node is down, an object goes, or a byte of one changes. */
    private void damage() throws IOException {
        InMemoryObjectStore contents = node.store().contents();
        List<String> paths = new ArrayList<>();
        contents.list("data/").forEach(entry -> paths.add(entry.path()));
        contents.list("manifest/").forEach(entry -> paths.add(entry.path()));
        if (paths.isEmpty()) {
            return;
        }
        String path = paths.get(damageRandom.nextInt(paths.size()));
        byte[] content = contents.readFully(path);
        damaged = Optional.of(new Damaged(path, content));
        damages++;
        // Without its newest version a manifest would be an older one
        if (path.startsWith("data/") && damageRandom.nextBoolean()) {
            node.store().delete(path);
        } else {
            byte[] changed = content.clone();
            changed[damageRandom.nextInt(content.length)] ^= 1;
            node.store().put(path, changed);
        }
    }

    /** From now on the store does not say that a manifest version is created, though it is. */
    private void loseAnswers() {
        node.store()
                .failWhere(
                        what -> {
                            if (!what.startsWith("list manifest/")) {
                                return false;
                            }
                            String shard = what.split("/")[1]; // table group and index
                            String index = shard.substring(shard.indexOf('-') + 1);
                            unanswered = unanswered.or(() -> Optional.of(index));
                            return true;
                        });
    }

    /** The key indexes that a table has in a folder, but those from before. */
    private record Lost(String folder, Set<String> before) {
        boolean has(String path) {
            return path.startsWith(folder) && path.endsWith(".idx") && !before.contains(path);
        }
    }

    /**
     * When a first answer is lost, new key indexes of a table are lost in that shard. If keys of
     * their files change, the next attempt to name the files in a manifest finds that.
     *
     * @param before the key indexes that stay
     */
    private void loseFiles(Set<String> before) throws IOException {
        if (lost.isPresent() || unanswered.isEmpty()) {
            return;
        }
        List<String> paths = new ArrayList<>(keyIndexes());
        paths.removeIf(
                path -> before.contains(path) || !path.contains("/" + unanswered.get() + "/"));
        if (!paths.isEmpty()) {
            String path = paths.get(lossRandom.nextInt(paths.size()));
            lost = Optional.of(new Lost(path.substring(0, path.lastIndexOf('/') + 1), before));
        }
    }

    private List<String> keyIndexes() throws IOException {
        return node.store().contents().list("data/").stream()
                .map(ObjectEntry::path)
                .filter(path -> path.endsWith(".idx"))
                .toList();
    }

    /** While the node is down, what is damaged is put back as it was, and what is lost is found. */
    private void repair(ObjectStore store, InMemoryLogFiles log) throws IOException {
        lost = Optional.empty();
        unanswered = Optional.empty();
        if (damaged.isPresent()) {
            store.put(damaged.get().path(), damaged.get().content());
            damaged = Optional.empty();
        }
    }

    /** In how many lives a table was set aside because a manifest could not name its file. */
    int givenUp() {
        return givenUp;
    }

    /** In how many lives records waited for space. */
    int fullDisks() {
        return fullDisks;
    }

    /** How often a write or sync of the log failed in a process that lived on. */
    int logFailures() {
        return logFailures;
    }

    long acknowledged() {
        return workloads.stream().mapToLong(Workload::acknowledged).sum();
    }

    /** A hash of everything that happened until now. */
    long traceHash() {
        return trace.value();
    }

    private void restartUntilUp() throws IOException {
        faults = drawFaults();
        logFaults = drawLogFaults();
        for (int attempt = 0; attempt < 4; attempt++) {
            try {
                // What is wrong with a manifest shows some flushes later
                int least = losesAnswers ? 400 : 1;
                restart(CrashPoint.after(least + random.nextInt(160)), faults, logFaults);
                return;
            } catch (IOException | SteleException diedWhileStarting) {
                // the next attempt finds what this one left
            }
        }
        restart(CrashPoint.never(), StoreFaults.NONE, LogFaults.NONE);
    }

    /** Writes and syncs that fail and leave open what they did, and syncs that last. */
    private LogFaults drawLogFaults() {
        return switch (random.nextInt(8)) {
            case 0 -> new LogFaults(0.02, 0, 0);
            case 1 -> new LogFaults(0, 0.02, 0);
            case 2 -> new LogFaults(0, 0, 2_000_000_000L);
            default -> LogFaults.NONE;
        };
    }

    /** A node whose log failed does not know what is durable: it serves no more, and says so. */
    private void checkLog() {
        if (!node.logFailed() || node.crashPoint().crashed()) {
            return;
        }
        logFailures++;
        EngineStatus status = node.engine().status();
        assertThat(status.log().failed()).as("log says that it failed").isTrue();
        assertThat(status.failedShards())
                .as("shards that stopped")
                .hasSameSizeAs(status.shards())
                .allMatch(
                        cause ->
                                cause.contains("The write-ahead log failed for good")
                                        || cause.contains("is set aside")); // before the log failed
    }

    /** Every version that is kept is whole, whatever the process had begun to delete. */
    private void checkManifests() throws IOException {
        for (ShardStatus shard : node.engine().status().shards()) {
            ManifestStore manifests =
                    new ManifestStore(
                            node.objects(),
                            shard.shard(),
                            new UUID(0, 0),
                            OrcManifestBaseFormat.INSTANCE);
            long newest = manifests.loadLatest().orElseThrow().version();
            for (long version = Math.max(1, newest - 4); version <= newest; version++) {
                assertThat(manifests.load(version).version()).isEqualTo(version);
            }
        }
    }

    /** Errors, changes of unknown outcome, changes that come late, and a store that is slow. */
    private StoreFaults drawFaults() {
        return switch (random.nextInt(6)) {
            case 0 -> new StoreFaults(0.02, 0.02, 0, 0);
            case 1 -> new StoreFaults(0.01, 0.01, 0.05, 0, 0);
            case 2 -> new StoreFaults(0, 0, 0.02, 0, 2_000_000_000L);
            default -> StoreFaults.NONE;
        };
    }

    private void restart(CrashPoint crashPoint, StoreFaults faults, LogFaults logFaults)
            throws IOException {
        restart(crashPoint, faults, logFaults, (_, _) -> {});
    }

    private void restart(
            CrashPoint crashPoint,
            StoreFaults faults,
            LogFaults logFaults,
            SimulatedNode.Change change)
            throws IOException {
        crashes++;
        traceNode();
        node.uncaught().clear();
        node.restart(crashPoint, faults, logFaults, change);
    }

    /** Clients act until the process has died, or long enough. */
    private void live() throws IOException {
        int outage = random.nextInt(4) == 0 ? random.nextInt(STEPS) : STEPS;
        int outageEnd = outage + random.nextInt(60);
        int fullEnd = limitDisk();
        Set<String> before = Set.copyOf(keyIndexes());
        int loss = losesAnswers ? lossRandom.nextInt(STEPS / 5) : STEPS;
        int lossEnd = loss + 20 + lossRandom.nextInt(60);
        wasFull = false;
        int stepsLeft = STEPS;
        for (int step = 0; step < stepsLeft && !node.crashPoint().crashed(); step++) {
            if (node.logFailed()) {
                stepsLeft = Math.min(stepsLeft, step + STEPS_WITHOUT_LOG);
            }
            if (step == fullEnd) {
                node.log().setMaxBytes(Long.MAX_VALUE);
            }
            if (step == outage) {
                node.store().setFaults(StoreFaults.OUTAGE);
            } else if (step == outageEnd) {
                node.store().setFaults(faults);
            }
            if (step == loss) {
                loseAnswers();
            } else if (step == lossEnd) {
                node.store().failWhere(what -> false);
            } else if (step > loss && step < lossEnd) {
                loseFiles(before);
            }
            if (random.nextInt(10) == 0) {
                node.advance(random.nextInt(8000));
                node.pool().tick();
                wasFull |= node.engine().status().log().space().isFull();
            } else {
                act(workloads.get(random.nextInt(workloads.size())));
            }
            for (int tasks = random.nextInt(30); tasks > 0; tasks--) {
                node.pool().runOne();
            }
            throwIfFailed();
        }
        checkNothingStopped();
        checkDisk();
        givenUp += isGivenUp() ? 1 : 0;
        for (int tasks = random.nextInt(400); tasks > 0; tasks--) {
            node.pool().runOne();
        }
    }

    /**
     * In a quarter of the lives the disk of the log has little space, or none at first.
     *
     * @return the step at which it has enough again
     */
    private int limitDisk() {
        if (spaceRandom.nextInt(4) != 0) {
            return STEPS;
        }
        long usableBytes =
                spaceRandom.nextInt(3) == 0 ? 0 : RESERVED_BYTES + spaceRandom.nextInt(64 << 10);
        node.log().setMaxBytes(node.log().sizeBytes() + usableBytes);
        return spaceRandom.nextInt(STEPS);
    }

    /** Records wait for space: a log that runs into its limit fails. */
    private void checkDisk() {
        assertThat(node.log().overflows()).as("appends without space").isZero();
        fullDisks += wasFull ? 1 : 0;
    }

    private boolean isGivenUp() {
        return node.engine().status().damages().stream()
                .anyMatch(damage -> damage.object().startsWith("manifest of shard "));
    }

    /** As long as the process lives, no record is one that cannot be applied. */
    private void checkNothingStopped() {
        List<String> failed = node.engine().status().failedShards();
        if (!node.crashPoint().crashed()) {
            assertThat(failed).noneMatch(message -> message.contains("stopped at LSN"));
        }
    }

    private static void act(Workload workload) {
        try {
            workload.act();
        } catch (SteleException | IOException refused) {
            // a dying engine refuses; what that means for the client's request is checked later
        }
    }

    private void traceNode() throws IOException {
        trace.add(node.crashPoint().operations());
        node.trace(trace);
    }

    /** A store that does not return the lost object. */
    private final class LosingStore extends ForwardingObjectStore {
        private LosingStore(ObjectStore store) {
            super(store);
        }

        @Override
        public void read(String path, long offset, byte[] buffer, int bufferOffset, int length)
                throws IOException {
            check(path);
            super.read(path, offset, buffer, bufferOffset, length);
        }

        @Override
        public byte[] readFully(String path) throws IOException {
            check(path);
            return super.readFully(path);
        }

        @Override
        public long size(String path) throws IOException {
            check(path);
            return super.size(path);
        }

        private void check(String path) throws NoSuchFileException {
            if (lost.isPresent() && lost.get().has(path)) {
                throw new NoSuchFileException(path);
            }
        }
    }
}

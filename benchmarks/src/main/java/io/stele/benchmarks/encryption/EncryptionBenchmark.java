package io.stele.benchmarks.encryption;

import io.stele.benchmarks.Benchmark;
import io.stele.benchmarks.BenchmarkOptions;
import io.stele.benchmarks.BenchmarkReport;
import io.stele.benchmarks.Machine;
import io.stele.benchmarks.Metrics;
import io.stele.benchmarks.servers.Run;
import io.stele.objectstore.LocalObjectStore;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.encryption.Encryption;
import io.stele.objectstore.encryption.EncryptionConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A benchmark of the cost of encryption at rest: objects of a folder written and read, and scans
 * through Trino, with and without encryption in the same run.
 */
public final class EncryptionBenchmark implements Benchmark {
    @Override
    public String name() {
        return "encryption";
    }

    @Override
    public String description() {
        return "objects written and read, and TPC-H Q1 and Q6 through Trino, with and without encryption at rest";
    }

    @Override
    public BenchmarkReport run(BenchmarkOptions options) throws Exception {
        boolean quick = options.quick();
        Run run = Run.load();
        String machine = Machine.describe();
        String keys = newKey();
        Metrics metrics = new Metrics();
        if (isWanted(options, "store")) {
            Path folder = run.path("state").resolve("encryption");
            Encryption encryption =
                    Encryption.of(new EncryptionConfig().setMasterKeys(keys), new SecureRandom());
            Map<String, ObjectStore> stores = new LinkedHashMap<>();
            stores.put("plain", store(folder.resolve("plain")));
            stores.put("encrypted", encryption.over(store(folder.resolve("encrypted"))));
            new StorePhase(stores, quick ? 32 << 20 : 256 << 20, quick ? 3 : 9, metrics).run();
        }
        String scale = quick ? "tiny" : "sf1";
        if (isWanted(options, "scan")) {
            new ScanPhase(run, scale, quick ? 1 : 10, quick ? 2 : 15, metrics).run(keys);
        }
        return new BenchmarkReport(
                name(), machine + ", TPC-H " + scale, metrics.asMap(), List.of());
    }

    private static boolean isWanted(BenchmarkOptions options, String phase) {
        return options.only().isEmpty() || phase.contains(options.only().orElseThrow());
    }

    private static ObjectStore store(Path folder) throws Exception {
        return new LocalObjectStore(Files.createDirectories(folder));
    }

    private static String newKey() {
        byte[] key = new byte[32];
        new SecureRandom().nextBytes(key);
        return "bench:" + Base64.getEncoder().encodeToString(key);
    }
}

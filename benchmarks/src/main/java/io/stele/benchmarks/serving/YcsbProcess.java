package io.stele.benchmarks.serving;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import site.ycsb.DB;

/**
 * The runner of {@code site.ycsb.Client} in a process of its own, with a workload's properties in a
 * file.
 */
final class YcsbProcess {
    private static final Pattern THROUGHPUT =
            Pattern.compile("\\[OVERALL\\], Throughput\\(ops/sec\\), ([0-9.E]+)");
    private static final Pattern RETURN =
            Pattern.compile("\\[[A-Z-]+\\], Return=([A-Z_]+), ([0-9]+)");

    private final Path folder;
    private final ServingSize size;

    YcsbProcess(Path folder, ServingSize size) {
        this.folder = requireNonNull(folder, "folder is null");
        this.size = requireNonNull(size, "size is null");
    }

    /** What YCSB printed. */
    record Result(String output) {
        double perSecond() {
            Matcher matcher = THROUGHPUT.matcher(output);
            if (!matcher.find()) {
                throw new IllegalStateException("Expected a throughput of YCSB, found " + output);
            }
            return Double.parseDouble(matcher.group(1));
        }

        /** Operations whose status was not OK. */
        long failures() {
            long failures = 0;
            Matcher matcher = RETURN.matcher(output);
            while (matcher.find()) {
                if (!matcher.group(1).equals("OK")) {
                    failures += Long.parseLong(matcher.group(2));
                }
            }
            return failures;
        }

        OptionalDouble p99Micros(String operation) {
            Matcher matcher =
                    Pattern.compile(
                                    "\\[%s\\], 99thPercentileLatency\\(us\\), ([0-9.]+)"
                                            .formatted(
                                                    operation.equals("READMODIFYWRITE")
                                                            ? "READ-MODIFY-WRITE"
                                                            : operation))
                            .matcher(output);
            return matcher.find()
                    ? OptionalDouble.of(Double.parseDouble(matcher.group(1)))
                    : OptionalDouble.empty();
        }
    }

    /** Loads the rows of a workload, or runs its operations. */
    Result run(
            YcsbWorkload workload,
            boolean load,
            Class<? extends DB> binding,
            Map<String, String> properties)
            throws IOException, InterruptedException {
        Properties all = workload.properties();
        all.setProperty("table", ServingTables.YCSB_TABLE);
        all.setProperty("recordcount", Integer.toString(size.ycsbRecords()));
        all.setProperty(
                "operationcount",
                Integer.toString(
                        workload == YcsbWorkload.E ? size.ycsbScans() : size.ycsbOperations()));
        properties.forEach(all::setProperty);
        Path file = folder.resolve("ycsb.properties");
        try (Writer writer = Files.newBufferedWriter(file)) {
            all.store(writer, null);
        }
        return new Result(PeerProcess.run(command(load, binding, file), Map.of()));
    }

    private List<String> command(boolean load, Class<? extends DB> binding, Path file) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx512m", "-XX:+UseSerialGC", "-Xshare:auto"));
        command.add("--enable-native-access=ALL-UNNAMED");
        command.add("--sun-misc-unsafe-memory-access=allow");
        if (size.quick()) {
            command.add("-XX:TieredStopAtLevel=1");
        }
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.add("site.ycsb.Client");
        command.add(load ? "-load" : "-t");
        command.addAll(List.of("-threads", Integer.toString(ServingSize.CLIENTS)));
        command.addAll(List.of("-P", file.toString(), "-db", binding.getName()));
        return command;
    }
}

package io.stele.benchmarks.retrieval;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.stele.benchmarks.Machine;
import io.stele.benchmarks.servers.Latencies;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The main program of a process that only reads by one client, so that its processor time is the
 * client's. It makes passes to warm up, in the first of which every byte is compared, and then the
 * passes that count.
 */
public final class ClientProcess {
    private static final double GIB = 1 << 30;

    private ClientProcess() {}

    /**
     * @param arguments kind, port, objects, bytes of one, readers, passes to warm up, passes
     */
    public static void main(String[] arguments) throws Exception {
        ClientKind kind = ClientKind.valueOf(arguments[0]);
        int port = Integer.parseInt(arguments[1]);
        int objects = Integer.parseInt(arguments[2]);
        int sizeBytes = Integer.parseInt(arguments[3]);
        int readers = Integer.parseInt(arguments[4]);
        int warmUpPasses = Integer.parseInt(arguments[5]);
        int passes = Integer.parseInt(arguments[6]);
        List<ReadLoad.Read> reads = new ArrayList<>();
        for (int i = 0; i < objects; i++) {
            reads.add(new ReadLoad.Read(i, 0));
        }
        ClientMeasurement measured;
        try (ObjectClient client = kind.open(port, readers)) {
            ReadLoad load = new ReadLoad(client, kind, readers, sizeBytes);
            for (int pass = 0; pass < warmUpPasses; pass++) {
                load.run(reads, pass == 0, new Latencies());
            }
            Latencies latencies = new Latencies();
            long cpu = Machine.processCpuNanos();
            long start = System.nanoTime();
            for (int pass = 0; pass < passes; pass++) {
                load.run(reads, false, latencies);
            }
            double seconds = (System.nanoTime() - start) / (double) TimeUnit.SECONDS.toNanos(1);
            double cpuSeconds =
                    (Machine.processCpuNanos() - cpu) / (double) TimeUnit.SECONDS.toNanos(1);
            double gib = (double) passes * objects * sizeBytes / GIB;
            measured =
                    new ClientMeasurement(
                            cpuSeconds / gib,
                            gib * 1024 / seconds,
                            latencies.millis(50),
                            latencies.millis(99));
        }
        System.out.println(new ObjectMapper().writeValueAsString(measured));
        System.exit(0); // the CRT leaves threads
    }

    /** Runs one and waits for it; its errors go to ours. */
    static ClientMeasurement run(
            ClientKind kind,
            int port,
            int objects,
            int sizeBytes,
            int readers,
            int warmUpPasses,
            int passes)
            throws IOException, InterruptedException {
        List<String> command =
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx2g",
                        "-Xms2g",
                        "-XX:MaxDirectMemorySize=2g",
                        "-XX:+UseParallelGC",
                        "--enable-native-access=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ClientProcess.class.getName(),
                        kind.name(),
                        Integer.toString(port),
                        Integer.toString(objects),
                        Integer.toString(sizeBytes),
                        Integer.toString(readers),
                        Integer.toString(warmUpPasses),
                        Integer.toString(passes));
        Process process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try {
            String said = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
            int status = process.waitFor();
            if (status != 0) {
                throw new IOException(
                        "Expected the client %s to end well, found status %d"
                                .formatted(kind, status));
            }
            return new ObjectMapper()
                    .readValue(said.substring(said.lastIndexOf('\n') + 1), ClientMeasurement.class);
        } finally {
            process.destroyForcibly();
        }
    }
}

package io.stele.testing;

import static java.util.Objects.requireNonNull;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A real HDFS with one data node, as a process of its own on free ports of this host: for tests and
 * benchmarks. It ends with this process, however that ends.
 */
public final class MiniHdfs implements AutoCloseable {
    private static final String MAIN = "org.apache.hadoop.test.MiniDFSClusterManager";

    /**
     * Ends the cluster and removes its folder when its input ends, that is, when its owner has
     * ended.
     */
    private static final String GUARD =
            """
            directory=$1; shift
            exec 3<&0
            "$@" </dev/null 3<&- &
            cluster=$!
            { read -r line <&3; kill -9 $cluster; wait_for_it=50
              while kill -0 $cluster 2>/dev/null && [ $wait_for_it -gt 0 ]; do
                sleep 0.1; wait_for_it=$((wait_for_it - 1))
              done
              rm -rf "$directory"; } >/dev/null 2>&1 &
            wait $cluster
            """;

    /** What its name node lists at once; by default 1,000, which a test would have to create. */
    public static final int FILES_OF_A_PAGE = 100;

    /** The cluster's own jars, and what they log and check with. */
    private static final Pattern JARS =
            Pattern.compile("(hadoop-client-|commons-logging-|slf4j-|junit-|opentest4j-).*\\.jar");

    private static final Pattern ADDRESS =
            Pattern.compile("\"namenode_port\"\\s*:\\s*(\\d+)\\s*[,}]");
    private static final long START_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final int START_ATTEMPTS = 3_600; // three minutes: it starts in 10 to 40 s

    private static final Object SHARED_LOCK = new Object();
    private static @Nullable MiniHdfs shared; // guarded by the lock
    private static @Nullable IOException sharedFailure; // guarded by the lock

    private final Process process;
    private final int port;

    private MiniHdfs(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /**
     * The one of this process, started by its first user; it ends with the process.
     *
     * @throws IOException also where an earlier user could not start it
     */
    public static MiniHdfs shared() throws IOException {
        synchronized (SHARED_LOCK) {
            MiniHdfs found = shared;
            if (found == null) {
                if (sharedFailure != null) {
                    throw new IOException(sharedFailure.getMessage(), sharedFailure);
                }
                try {
                    found = start(Files.createTempDirectory("stele-hdfs"));
                } catch (IOException e) {
                    sharedFailure = e;
                    throw e;
                }
                shared = found;
            }
            return found;
        }
    }

    /**
     * Starts one and waits until it serves.
     *
     * @param directory of all its files, deleted when it closes
     */
    public static MiniHdfs start(Path directory) throws IOException {
        requireNonNull(directory, "directory is null");
        Files.createDirectories(directory);
        Path details = directory.resolve("details.json");
        Path log = directory.resolve("hdfs.log");
        List<String> command =
                List.of(
                        "sh",
                        "-c",
                        GUARD,
                        "mini-hdfs",
                        directory.toString(),
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        classPath(),
                        MAIN,
                        "-format",
                        "-datanodes",
                        "1",
                        "-nnport",
                        "0",
                        "-writeDetails",
                        details.toString(),
                        "-Dhdfs.minidfs.basedir=" + directory.resolve("dfs"),
                        "-Ddfs.ls.limit=" + FILES_OF_A_PAGE);
        Process process =
                new ProcessBuilder(command)
                        .directory(directory.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                        .start();
        return new MiniHdfs(process, awaitPort(process, details, log));
    }

    private static String classPath() throws IOException {
        // Surefire hides the class path of tests behind a manifest
        String all =
                System.getProperty(
                        "surefire.test.class.path", System.getProperty("java.class.path"));
        List<String> jars = new ArrayList<>();
        for (String entry : all.split(File.pathSeparator)) {
            if (JARS.matcher(new File(entry).getName()).matches()) {
                jars.add(entry);
            }
        }
        if (jars.stream().noneMatch(jar -> jar.contains("hadoop-client-minicluster"))) {
            throw new IOException(
                    "Expected hadoop-client-minicluster on the class path, found " + jars);
        }
        return String.join(File.pathSeparator, jars);
    }

    private static int awaitPort(Process process, Path details, Path log) throws IOException {
        for (int attempt = 1; attempt <= START_ATTEMPTS && process.isAlive(); attempt++) {
            if (Files.exists(details)) {
                Matcher port = ADDRESS.matcher(Files.readString(details));
                if (port.find()) {
                    return Integer.parseInt(port.group(1));
                }
            }
            LockSupport.parkNanos(START_PAUSE_NANOS);
        }
        String said = Files.readString(log);
        process.getOutputStream().close();
        throw new IOException("HDFS does not start; it said " + said);
    }

    /** A folder for a test's files: {@code hdfs://127.0.0.1:port/name}. */
    public String location(String name) {
        return "hdfs://127.0.0.1:" + port + "/" + name;
    }

    /** Ends the process and removes its folder. */
    @Override
    public void close() throws IOException {
        process.getOutputStream().close();
        process.onExit().join();
    }
}

package io.stele.testing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A standalone cluster of Apache Flink: a job manager, task managers and clients, each a process of
 * its own on the loopback interface. Its class path has Flink's own jars from that of this JVM, and
 * nothing else, so a job brings its connectors itself. The folder has a log of each process, and
 * its pid in a file beside that. Confined to one thread.
 *
 * <p>Flink 2.3 is made for Java 17: the processes run on a JDK 17 or 21 that lies beside this
 * JVM's, or on the one that the environment variable {@code STELE_FLINK_JAVA_HOME} names; else on
 * this JVM's.
 */
public final class FlinkCluster implements AutoCloseable {
    /** JVM options of a task manager that is to take little memory and start soon. */
    public static final List<String> SMALL =
            List.of("-Xmx448m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

    private static final List<String> SMALL_CLIENT =
            List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");
    private static final Duration TIMEOUT = Duration.ofMinutes(3);
    private static final Duration REQUEST_TIMEOUT = Duration.ofMinutes(1);
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final Pattern SUBMITTED = Pattern.compile("submitted with JobID ([0-9a-f]{32})");

    /** Names of the jars that Flink consists of, without their versions. */
    private static final Pattern PARTS =
            Pattern.compile(
                    "(flink-|commons-|kryo-|reflectasm-|objenesis-|minlog-|snakeyaml-engine-|slf4j-api-"
                            + "|slf4j-jdk14-|javassist-|snappy-java-|lz4-java-|async-profiler-|icu4j-|RoaringBitmap-"
                            + "|jsr305-).*\\.jar");

    /** As Flink's own scripts open the JDK. */
    private static final List<String> OPENED =
            Stream.of(
                            "java.base/java.lang",
                            "java.base/java.lang.invoke",
                            "java.base/java.math",
                            "java.base/java.net",
                            "java.base/java.io",
                            "java.base/java.nio",
                            "java.base/java.text",
                            "java.base/java.time",
                            "java.base/java.util",
                            "java.base/java.util.concurrent",
                            "java.base/java.util.concurrent.atomic",
                            "java.base/java.util.concurrent.locks")
                    .map(name -> "--add-opens=" + name + "=ALL-UNNAMED")
                    .toList();

    private final Path directory;
    private final List<String> taskManagerOptions;
    private final Path javaHome;
    private final String classPath;
    private final int restPort = FreePorts.find();
    private final HttpClient http = HttpClient.newHttpClient();
    private final ObjectMapper json = new ObjectMapper();
    private final Map<Integer, Process> taskManagers = new LinkedHashMap<>();
    private int startedTaskManagers;
    private int startedClients;
    private @Nullable Process jobManager;

    private FlinkCluster(Path directory, String classPath, List<String> taskManagerOptions) {
        this.directory = directory;
        this.classPath = classPath;
        this.taskManagerOptions = List.copyOf(taskManagerOptions);
        this.javaHome = findJava();
    }

    /**
     * Starts a cluster and waits until all its slots are there.
     *
     * @param directory of its configuration, logs, checkpoints and temporary files
     * @param count task managers
     * @param settings Flink's configuration, beside what this class sets
     */
    public static FlinkCluster start(Path directory, int count, Map<String, String> settings)
            throws IOException {
        String own =
                System.getProperty(
                        "surefire.test.class.path", System.getProperty("java.class.path"));
        return start(directory, parts(own), count, settings, SMALL);
    }

    /**
     * The same of another class path, such as one of another version of Flink.
     *
     * @param taskManagerOptions JVM options of each task manager, such as {@link #SMALL}
     */
    public static FlinkCluster start(
            Path directory,
            String classPath,
            int count,
            Map<String, String> settings,
            List<String> taskManagerOptions)
            throws IOException {
        requireNonNull(directory, "directory is null");
        FlinkCluster cluster = new FlinkCluster(directory, classPath, taskManagerOptions);
        try {
            cluster.configure(settings);
            cluster.startJobManager();
            for (int i = 0; i < count; i++) {
                cluster.startTaskManager();
            }
            cluster.awaitTaskManagers();
            return cluster;
        } catch (IOException | RuntimeException failed) {
            cluster.close();
            throw failed;
        }
    }

    /** The part of a class path that Flink consists of. */
    public static String parts(String classPath) {
        return Arrays.stream(classPath.split(File.pathSeparator))
                .filter(entry -> PARTS.matcher(fileName(entry)).matches())
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static String fileName(String entry) {
        return entry.substring(entry.lastIndexOf(File.separatorChar) + 1);
    }

    private static Path findJava() {
        String named = System.getenv("STELE_FLINK_JAVA_HOME");
        if (named != null && !named.isEmpty()) {
            return Path.of(named);
        }
        Path own = Path.of(System.getProperty("java.home"));
        Path folder = own.getParent();
        if (folder == null) {
            return own;
        }
        try (Stream<Path> beside = Files.list(folder)) {
            List<Path> homes = beside.sorted().toList();
            return Stream.of("17", "21")
                    .flatMap(version -> homes.stream().filter(home -> isVersion(home, version)))
                    .findFirst()
                    .orElse(own);
        } catch (IOException unreadable) {
            return own;
        }
    }

    private static boolean isVersion(Path home, String version) {
        try {
            return Files.isExecutable(home.resolve("bin").resolve("java"))
                    && Files.readString(home.resolve("release"))
                            .contains("JAVA_VERSION=\"" + version);
        } catch (IOException none) {
            return false;
        }
    }

    /** The home of the Java on which the processes run. */
    public Path javaHome() {
        return javaHome;
    }

    private void configure(Map<String, String> settings) throws IOException {
        Map<String, String> all = new LinkedHashMap<>();
        for (String host :
                List.of(
                        "jobmanager.rpc.address",
                        "jobmanager.bind-host",
                        "rest.address",
                        "rest.bind-address",
                        "taskmanager.host",
                        "taskmanager.bind-host")) {
            all.put(host, "127.0.0.1");
        }
        all.put("jobmanager.rpc.port", Integer.toString(FreePorts.find()));
        all.put("rest.port", Integer.toString(restPort));
        all.put("io.tmp.dirs", Files.createDirectories(directory.resolve("tmp")).toString());
        all.put("execution.checkpointing.dir", directory.resolve("checkpoints").toUri().toString());
        all.put(
                "execution.checkpointing.savepoint-dir",
                directory.resolve("savepoints").toUri().toString());
        all.put(
                "execution.checkpointing.externalized-checkpoint-retention",
                "RETAIN_ON_CANCELLATION");
        all.put("taskmanager.numberOfTaskSlots", "2");
        all.put("taskmanager.cpu.cores", "2.0");
        all.put("taskmanager.memory.framework.heap.size", "64m");
        all.put("taskmanager.memory.framework.off-heap.size", "64m");
        all.put("taskmanager.memory.task.heap.size", "256m");
        all.put("taskmanager.memory.task.off-heap.size", "64m");
        all.put("taskmanager.memory.network.min", "32m");
        all.put("taskmanager.memory.network.max", "32m");
        all.put("taskmanager.memory.managed.size", "32m");
        all.put("taskmanager.memory.jvm-metaspace.size", "256m");
        all.put("taskmanager.memory.jvm-overhead.min", "64m");
        all.put("taskmanager.memory.jvm-overhead.max", "64m");
        // What is killed is missed soon, and what a loaded machine only delays is not
        all.put("heartbeat.interval", "1 s");
        all.put("heartbeat.timeout", "20 s");
        all.put("taskmanager.slot.timeout", "2 s");
        all.putAll(settings);
        Files.createDirectories(directory.resolve("conf"));
        Files.writeString(
                directory.resolve("conf").resolve("config.yaml"),
                all.entrySet().stream()
                        .map(entry -> entry.getKey() + ": " + entry.getValue() + "\n")
                        .collect(Collectors.joining()));
        Files.writeString(
                directory.resolve("conf").resolve("logging.properties"),
                "handlers = java.util.logging.ConsoleHandler\n.level = INFO\n");
    }

    /** Starts a job manager, on the ports of the one before it. */
    public void startJobManager() throws IOException {
        jobManager =
                launch(
                        "jobmanager",
                        SMALL_CLIENT,
                        "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint",
                        "--configDir",
                        conf());
    }

    /** Starts a further task manager. */
    public void startTaskManager() throws IOException {
        int number = ++startedTaskManagers;
        taskManagers.put(
                number,
                launch(
                        "taskmanager-" + number,
                        taskManagerOptions,
                        "org.apache.flink.runtime.taskexecutor.TaskManagerRunner",
                        "--configDir",
                        conf(),
                        "-D",
                        "taskmanager.resource-id=taskmanager-" + number));
    }

    private String conf() {
        return directory.resolve("conf").toString();
    }

    private Process launch(String name, List<String> options, String... arguments)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(javaHome.resolve("bin").resolve("java").toString());
        command.addAll(options);
        command.add("-Djava.util.logging.config.file=" + conf() + "/logging.properties");
        command.addAll(OPENED);
        command.addAll(List.of("-cp", classPath));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("FLINK_CONF_DIR", conf());
        Process process =
                builder.redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.appendTo(log(name).toFile()))
                        .start();
        Files.writeString(directory.resolve(name + ".pid"), process.pid() + "\n");
        return process;
    }

    private Path log(String name) {
        return directory.resolve(name + ".log");
    }

    /** SIGKILL. */
    public void killJobManager() {
        kill(requireNonNull(jobManager, "there is no job manager"));
    }

    /** SIGKILL to the task manager that was started before the others. */
    public void killOldestTaskManager() {
        int oldest = taskManagers.keySet().iterator().next();
        kill(requireNonNull(taskManagers.remove(oldest), "there is no task manager"));
    }

    /**
     * SIGSTOP to the task manager that was started before the others, until the returned one is
     * closed.
     */
    public PausedProcess pauseOldestTaskManager() throws IOException {
        return PausedProcess.pause(taskManagers.values().iterator().next().pid());
    }

    private static void kill(Process process) {
        process.destroyForcibly();
        try {
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                throw new IllegalStateException("Process " + process.pid() + " does not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted", e);
        }
    }

    /** Waits until the task managers that live, and no others, are at the job manager. */
    public void awaitTaskManagers() {
        List<String> expected =
                taskManagers.keySet().stream().map(n -> "taskmanager-" + n).sorted().toList();
        await(
                "task managers " + expected,
                "/taskmanagers",
                reply ->
                        expected.equals(
                                reply.get("taskmanagers")
                                        .valueStream()
                                        .map(each -> each.get("id").asText())
                                        .sorted()
                                        .toList()));
    }

    /**
     * Submits a job as {@code flink run} does, from a process of its own, and waits until it is
     * submitted.
     *
     * @param jar the job; jars in its folder {@code lib} are in the class path of the job
     * @param state the savepoint or checkpoint to restore
     * @return the id of the job
     */
    public String submit(
            Path jar,
            String mainClass,
            int parallelism,
            Optional<String> state,
            String... arguments)
            throws IOException {
        String output = runClient(jar, mainClass, parallelism, state, arguments);
        Matcher submitted = SUBMITTED.matcher(output);
        if (!submitted.find()) {
            throw new IllegalStateException("Expected a job to be submitted, found:\n" + output);
        }
        return submitted.group(1);
    }

    /** Runs a program that submits no job, in a process of its own. */
    public void runProgram(Path jar, String mainClass, String... arguments) throws IOException {
        runClient(jar, mainClass, 1, Optional.empty(), arguments);
    }

    private String runClient(
            Path jar,
            String mainClass,
            int parallelism,
            Optional<String> state,
            String... arguments)
            throws IOException {
        String name = "client-" + ++startedClients;
        List<String> command = new ArrayList<>();
        command.addAll(List.of("org.apache.flink.client.cli.CliFrontend", "run", "-d"));
        command.addAll(List.of("-p", Integer.toString(parallelism), "-c", mainClass));
        state.ifPresent(path -> command.addAll(List.of("-s", path)));
        command.add(jar.toString());
        command.addAll(List.of(arguments));
        Process client = launch(name, SMALL_CLIENT, command.toArray(String[]::new));
        try {
            if (!client.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
                throw new IllegalStateException("The client does not end:\n" + tail(name));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted", e);
        } finally {
            client.destroyForcibly();
        }
        String output = Files.readString(log(name), UTF_8);
        if (client.exitValue() != 0) {
            throw new IllegalStateException(
                    "Expected the client to end with 0, found %d:%n%s"
                            .formatted(client.exitValue(), output));
        }
        return output;
    }

    /** How long a job that has ended ran, without the time until it began. */
    public long runningMillis(String job) throws IOException {
        JsonNode timestamps = get("/jobs/" + job).get("timestamps");
        return timestamps.get("FINISHED").asLong() - timestamps.get("RUNNING").asLong();
    }

    /** Waits until the state of a job is this one, such as {@code FINISHED}. */
    public void awaitState(String job, String state) {
        await(
                "state %s of job %s".formatted(state, job),
                "/jobs/" + job,
                reply -> {
                    String found = reply.get("state").asText();
                    if (!found.equals(state)
                            && List.of("FAILED", "FINISHED", "CANCELED").contains(found)) {
                        throw new IllegalStateException(
                                "Expected state %s of job %s, found %s: %s"
                                        .formatted(state, job, found, exceptions(job)));
                    }
                    return found.equals(state);
                });
    }

    /**
     * Whether a job has finished.
     *
     * @throws IllegalStateException it failed
     */
    public boolean hasEnded(String job) throws IOException {
        String found = state(job);
        if (found.equals("FAILED") || found.equals("CANCELED")) {
            throw new IllegalStateException(
                    "Expected job %s to go on, found %s: %s"
                            .formatted(job, found, exceptions(job)));
        }
        return found.equals("FINISHED");
    }

    /** The state of a job, such as {@code RUNNING}. */
    public String state(String job) throws IOException {
        return get("/jobs/" + job).get("state").asText();
    }

    /**
     * The rows that the sources of a job have passed on since it was last restored; exact once the
     * job has ended.
     */
    public long sourceRows(String job) throws IOException {
        return get("/jobs/" + job)
                .get("vertices")
                .valueStream()
                .filter(vertex -> vertex.get("name").asText().startsWith("Source: "))
                .mapToLong(vertex -> vertex.at("/metrics/write-records").asLong())
                .sum();
    }

    private String exceptions(String job) {
        try {
            return get("/jobs/" + job + "/exceptions").toString();
        } catch (IOException gone) {
            return "unknown";
        }
    }

    /** The number of checkpoints that a job has completed since it was submitted. */
    public int completedCheckpoints(String job) throws IOException {
        return get("/jobs/" + job + "/checkpoints").at("/counts/completed").asInt();
    }

    /** Waits until a job has completed a number of checkpoints since it was submitted. */
    public void awaitCheckpoints(String job, int count) {
        await(
                "%d checkpoints of job %s".formatted(count, job),
                "/jobs/" + job + "/checkpoints",
                reply -> reply.at("/counts/completed").asInt() >= count);
    }

    /** How often a job was restored since it was submitted. */
    public int restoredCheckpoints(String job) throws IOException {
        return get("/jobs/" + job + "/checkpoints").at("/counts/restored").asInt();
    }

    /** Waits until a job was restored so often since it was submitted. */
    public void awaitRestored(String job, int count) {
        await(
                "job %s to be restored %d times".formatted(job, count),
                "/jobs/" + job + "/checkpoints",
                reply -> reply.at("/counts/restored").asInt() >= count);
    }

    /** Stops a job with a savepoint; returns where that is. */
    public String stopWithSavepoint(String job) throws IOException {
        JsonNode trigger =
                send(
                        HttpRequest.newBuilder(uri("/jobs/" + job + "/stop"))
                                .header("Content-Type", "application/json")
                                .POST(HttpRequest.BodyPublishers.ofString("{\"drain\": false}")));
        JsonNode done =
                await(
                        "a savepoint of job " + job,
                        "/jobs/%s/savepoints/%s".formatted(job, trigger.get("request-id").asText()),
                        reply -> reply.at("/status/id").asText().equals("COMPLETED"));
        if (!done.at("/operation/location").isTextual()) {
            throw new IllegalStateException(
                    "Expected a savepoint of job %s, found %s".formatted(job, done));
        }
        awaitState(job, "FINISHED");
        return done.at("/operation/location").asText();
    }

    /** The newest checkpoint of a job that is complete on disk. */
    public String latestCheckpoint(String job) throws IOException {
        try (Stream<Path> checkpoints = Files.list(directory.resolve("checkpoints").resolve(job))) {
            return checkpoints
                    .filter(path -> Files.exists(path.resolve("_metadata")))
                    .max(Comparator.comparingInt(FlinkCluster::checkpointNumber))
                    .orElseThrow(
                            () ->
                                    new IllegalStateException(
                                            "Expected a checkpoint of job " + job + ", found none"))
                    .toUri()
                    .toString();
        }
    }

    private static int checkpointNumber(Path path) {
        return Integer.parseInt(path.getFileName().toString().substring("chk-".length()));
    }

    /** What the job manager's REST API answers. */
    public JsonNode get(String path) throws IOException {
        return send(HttpRequest.newBuilder(uri(path)).GET());
    }

    /** Where the job manager's REST API is. */
    public URI uri() {
        return uri("");
    }

    private URI uri(String path) {
        return URI.create("http://127.0.0.1:" + restPort + path);
    }

    private JsonNode send(HttpRequest.Builder request) throws IOException {
        try {
            HttpResponse<String> response =
                    http.send(
                            request.timeout(REQUEST_TIMEOUT).build(),
                            HttpResponse.BodyHandlers.ofString());
            if (response.statusCode() / 100 != 2) {
                throw new IOException(
                        "Expected an answer of Flink to %s, found %d: %s"
                                .formatted(response.uri(), response.statusCode(), response.body()));
            }
            return json.readTree(response.body());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted", e);
        }
    }

    /** Polls until the answer is as wanted; while the job manager is away or starts, it waits. */
    private JsonNode await(String wanted, String path, Predicate<JsonNode> condition) {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        String last = "nothing";
        while (System.nanoTime() < deadline) {
            try {
                JsonNode reply = get(path);
                last = reply.toString();
                if (condition.test(reply)) {
                    return reply;
                }
            } catch (IOException notYet) {
                last = notYet.toString();
            }
            checkAlive("jobmanager", requireNonNull(jobManager, "there is no job manager"), wanted);
            taskManagers.forEach(
                    (number, process) -> checkAlive("taskmanager-" + number, process, wanted));
            LockSupport.parkNanos(POLL_NANOS);
        }
        throw new IllegalStateException(
                "Expected %s within %s, found %s".formatted(wanted, TIMEOUT, last));
    }

    private void checkAlive(String name, Process process, String wanted) {
        if (!process.isAlive()) {
            throw new IllegalStateException(
                    "Process %s ended with %d while waiting for %s; the end of its log:%n%s"
                            .formatted(name, process.exitValue(), wanted, tail(name)));
        }
    }

    private String tail(String name) {
        try {
            String all = Files.readString(log(name), UTF_8);
            return all.substring(Math.max(0, all.length() - 4000));
        } catch (IOException none) {
            return none.toString();
        }
    }

    /** SIGKILL to all processes. */
    @Override
    public void close() {
        List<Process> all = new ArrayList<>(taskManagers.values());
        Optional.ofNullable(jobManager).ifPresent(all::add);
        all.forEach(Process::destroyForcibly); // also of a thread that is interrupted meanwhile
        all.forEach(FlinkCluster::kill);
        http.close();
    }
}

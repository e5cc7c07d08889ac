package io.stele.benchmarks;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.metadata.ChecksummedFile;
import io.stele.columnfile.metadata.ChecksummingWriter;
import io.stele.columnfile.metadata.FileChecksums;
import io.stele.objectstore.LocalObjectStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.OptionalInt;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A benchmark of the cost of checksums in reads of a column file. The file has 64 MiB and is in the
 * page cache of the file system. Reads begin at offsets that are not those of blocks. 64 KiB is one
 * chunk of a column. 8 MiB is the amount that trino-orc reads of a stripe at once.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 7, time = 1)
public class BenchmarkChecksummedFile {
    private static final int FILE_BYTES = 64 << 20;
    private static final String PATH = "f.orc";

    @Param({"false", "true"})
    public boolean checksummed;

    @Param({"65536", "1048576", "8388608"})
    public int readBytes;

    private final Path directory;
    private final LocalObjectStore store;
    private final Random random = new Random(1);
    private final byte[] buffer = new byte[8 << 20];
    private @Nullable ChecksummedFile file;

    public BenchmarkChecksummedFile() {
        try {
            directory = Files.createTempDirectory("stele-checksums");
            store = new LocalObjectStore(directory);
            byte[] piece = new byte[1 << 20];
            try (ChecksummingWriter writer = ChecksummingWriter.create(store, PATH)) {
                while (writer.position() < FILE_BYTES) {
                    random.nextBytes(piece);
                    writer.write(piece);
                }
                writer.commit();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Setup(Level.Trial)
    public void open() throws IOException {
        OptionalInt blockBytes =
                checksummed ? OptionalInt.of(FileChecksums.BLOCK_BYTES) : OptionalInt.empty();
        file = ChecksummedFile.open(store, PATH, FILE_BYTES, blockBytes);
    }

    @Benchmark
    public byte[] read() throws IOException {
        int offset = random.nextInt(FILE_BYTES - readBytes);
        requireNonNull(file, "file is null").read(offset, buffer, 0, readBytes);
        return buffer;
    }

    @TearDown(Level.Trial)
    public void deleteFiles() throws IOException {
        try (Stream<Path> paths = Files.walk(directory)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}

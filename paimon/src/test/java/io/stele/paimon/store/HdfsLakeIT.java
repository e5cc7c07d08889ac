package io.stele.paimon.store;

import io.stele.testing.MiniHdfs;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.paimon.fs.FileIO;
import org.apache.paimon.fs.FileStatus;
import org.apache.paimon.fs.Path;

/** A lake in a real HDFS. */
final class HdfsLakeIT extends LakeContract {
    private static final AtomicInteger LAKES = new AtomicInteger();

    @Override
    String newWarehouse() throws IOException {
        return MiniHdfs.shared().location("lakes/" + LAKES.incrementAndGet());
    }

    @Override
    PaimonLake open(String location) {
        return TestingLakes.open(location, Map.of());
    }

    @Override
    List<String> stored(String location) throws IOException {
        try (PaimonLake lake = open(location)) {
            return all(lake.fileIO(), new Path(location)).sorted().toList();
        } catch (IOException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException(e);
        }
    }

    /** The client of HDFS waits 0.4 s for each file that it closes. */
    @Override
    int commits() {
        return 5;
    }

    /** HDFS allows no colons. */
    @Override
    String oddName() {
        return "a%1";
    }

    private static Stream<String> all(FileIO files, Path folder) throws IOException {
        Stream<String> found = Stream.of();
        for (FileStatus status : files.listStatus(folder)) {
            found = Stream.concat(found, Stream.of(status.getPath().toString()));
            if (status.isDir()) {
                found = Stream.concat(found, all(files, status.getPath()));
            }
        }
        return found;
    }
}

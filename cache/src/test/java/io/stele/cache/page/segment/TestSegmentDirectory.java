package io.stele.cache.page.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.cache.page.PageGeometry;
import io.stele.cache.page.PageKey;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever fails, a directory that is given up is nobody's. */
final class TestSegmentDirectory {
    private static final PageGeometry GEOMETRY = new PageGeometry(1024, 68);
    private static final SegmentStoreOptions OPTIONS =
            new SegmentStoreOptions(GEOMETRY, 64, Map.of());

    @TempDir private Path folder;

    private @Nullable Exception onClose;

    private SegmentDirectory open(CacheFiles files, long maxBytes) throws IOException {
        return SegmentDirectory.open(
                "d",
                maxBytes,
                OPTIONS,
                files,
                new ScratchBuffers(Places.GROUP * GEOMETRY.unitBytes()),
                () -> 0,
                new Random(1));
    }

    private SegmentDirectory openWithAPage() throws IOException {
        SegmentDirectory directory = open(new FailingFiles(), 1 << 20);
        byte[] page = new byte[GEOMETRY.pageBytes()];
        PageKey key = new PageKey(1, 2);
        assertThat(directory.put(key, "t", page.length, 0, page, 0, page.length)).isTrue();
        return directory;
    }

    private void assertFree() throws IOException {
        Optional<LocalCacheFiles> next = LocalCacheFiles.tryOpen(folder);
        assertThat(next).isPresent();
        next.get().close();
    }

    @Test
    void filesThatDoNotCloseKeepNoLock() throws IOException {
        SegmentDirectory directory = openWithAPage();
        onClose = new IOException("close fails");
        directory.abandon();
        assertFree();

        onClose = null;
        directory = openWithAPage();
        onClose = new IOException("close fails");
        directory.close();
        assertFree();

        onClose = null;
        SegmentDirectory broken = openWithAPage();
        onClose = new IllegalStateException("close fails");
        assertThatThrownBy(broken::abandon).hasMessage("close fails");
        assertFree();
    }

    @Test
    void oneThatCannotBeMadeKeepsNoLock() throws IOException {
        CacheFiles files = LocalCacheFiles.open(folder);
        assertThatThrownBy(() -> open(files, 1)).isInstanceOf(IllegalArgumentException.class);
        assertFree();
    }

    /** Files of the folder that fail when they are closed, after they are. */
    private final class FailingFiles implements CacheFiles {
        private final CacheFiles files = LocalCacheFiles.open(folder);

        FailingFiles() throws IOException {}

        @Override
        public List<String> list() throws IOException {
            return files.list();
        }

        @Override
        public CacheFile open(String name) throws IOException {
            return new FailingFile(files.open(name));
        }

        @Override
        public void rename(String from, String to) throws IOException {
            files.rename(from, to);
        }

        @Override
        public void delete(String name) throws IOException {
            files.delete(name);
        }

        @Override
        public long usableBytes() throws IOException {
            return files.usableBytes();
        }

        @Override
        public void close() throws IOException {
            files.close();
        }
    }

    private final class FailingFile implements CacheFiles.CacheFile {
        private final CacheFiles.CacheFile file;

        FailingFile(CacheFiles.CacheFile file) {
            this.file = file;
        }

        @Override
        public long sizeBytes() throws IOException {
            return file.sizeBytes();
        }

        @Override
        public void read(ByteBuffer target, long position) throws IOException {
            file.read(target, position);
        }

        @Override
        public void write(ByteBuffer source, long position) throws IOException {
            file.write(source, position);
        }

        @Override
        public void close() throws IOException {
            file.close();
            switch (onClose) {
                case IOException e -> throw e;
                case RuntimeException e -> throw e;
                case null, default -> {}
            }
        }
    }
}

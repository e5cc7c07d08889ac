package io.stele.objectstore;

import java.io.IOException;
import java.nio.file.Path;
import java.util.OptionalInt;
import org.junit.jupiter.api.io.TempDir;

/** Files that are kept open must not outlive deletions and replacements. */
class TestLocalObjectStoreWithOpenFiles extends ObjectStoreContract {
    @TempDir Path directory;

    @Override
    ObjectStore store() throws IOException {
        return new LocalObjectStore(directory.resolve("warehouse"), OptionalInt.of(2));
    }
}

package io.stele.engine.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.objectstore.InMemoryObjectStore;
import java.io.IOException;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class TestDroppedObjects {
    private Instant now = Instant.EPOCH;
    private final InMemoryObjectStore store = new InMemoryObjectStore(() -> now);

    private String digest() throws IOException {
        return DroppedObjects.load(store).digest();
    }

    private void drop(String name) throws IOException {
        DroppedObjects.drop(store, name, new byte[0]);
    }

    /** A manifest version may be made again, and given up again, under the same name. */
    @Test
    void whateverIsGivenUpChangesTheDigest() throws IOException {
        Set<String> digests = new HashSet<>();
        assertThat(digests.add(digest())).isTrue();
        drop("manifest/1/0001");
        assertThat(digests.add(digest())).isTrue();
        drop("log/1/7");
        assertThat(digests.add(digest())).isTrue();
        now = now.plusSeconds(1);
        drop("manifest/1/0001");
        assertThat(digests.add(digest())).isTrue();
        store.put("manifest/1/0002", new byte[0]);
        assertThat(digests.add(digest())).isFalse();
    }
}

package io.stele.objectstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class TestDeferredCommits {
    private final List<String> published = new ArrayList<>();
    private final AtomicInteger open = new AtomicInteger();
    private final InMemoryObjectStore memory = new InMemoryObjectStore();
    private String failing = "";
    private boolean failsToClose;
    private final ObjectStore store = new NotingStore();
    private final DeferredCommits commits = new DeferredCommits();

    @Test
    void nothingIsVisibleBeforeAndAllIsInOrderAfterwards() throws IOException {
        writeAll();
        assertThat(memory.list("")).isEmpty();
        commits.run();
        assertThat(published).containsExactly("sums", "file", "index");
        assertThat(memory.readFully("file")).containsExactly(1, 2, 3);
        assertThat(memory.readFully("sums")).containsExactly(7);
        commits.giveUp();
        assertThat(memory.list("")).hasSize(3);
    }

    @Test
    void whatIsGivenUpLeavesNothing() throws IOException {
        writeAll();
        commits.giveUp();
        commits.run();
        assertThat(memory.list("")).isEmpty();
        assertThat(open).hasValue(0);
    }

    @Test
    void afterAFailureTheRestIsThrownAway() throws IOException {
        failing = "file";
        writeAll();
        assertThatThrownBy(commits::run).hasMessage("no room for file");
        assertThat(published).containsExactly("sums");
        assertThat(open).hasValue(0);
    }

    /** Each writer of a store over a network has a connection, or a lease. */
    @Test
    void allAreThrownAwayAlsoIfThatFails() throws IOException {
        failsToClose = true;
        writeAll();
        assertThatThrownBy(commits::giveUp)
                .hasMessage("no way to close file")
                .satisfies(TestDeferredCommits::sayAlsoOfIndex);
        assertThat(open).hasValue(0);
        commits.giveUp();
    }

    @Test
    void theFailureIsThatOfThePublication() throws IOException {
        failing = "file";
        failsToClose = true;
        writeAll();
        assertThatThrownBy(commits::run)
                .hasMessage("no room for file")
                .satisfies(
                        thrown ->
                                assertThat(thrown.getSuppressed())
                                        .extracting(Throwable::getMessage)
                                        .containsExactly(
                                                "no way to close file", "no way to close index"));
        assertThat(open).hasValue(0);
    }

    private static void sayAlsoOfIndex(Throwable thrown) {
        assertThat(thrown.getSuppressed())
                .extracting(Throwable::getMessage)
                .containsExactly("no way to close index");
    }

    @Test
    void whatIsClosedWithoutACommitIsNotAmongThem() throws IOException {
        try (ObjectWriter writer = commits.over(store).create("unfinished")) {
            writer.write(1);
        }
        assertThat(open).hasValue(0);
        commits.run();
        assertThat(memory.list("")).isEmpty();
    }

    private void writeAll() throws IOException {
        ObjectStore late = commits.over(store);
        try (ObjectWriter file = late.create("file")) {
            file.write(new byte[] {1, 2, 3});
            late.put("sums", new byte[] {7});
            file.commit();
            assertThat(file.position()).isEqualTo(3);
        }
        try (ObjectWriter index = late.create("index")) {
            index.write(9);
            index.commit();
        }
        assertThat(open).hasValue(2);
    }

    /** Notes what is published, and counts writers that are neither committed nor closed. */
    private final class NotingStore extends ForwardingObjectStore {
        private NotingStore() {
            super(memory);
        }

        @Override
        public void put(String path, byte[] content) throws IOException {
            super.put(path, content);
            published.add(path);
        }

        @Override
        public ObjectWriter create(String path) throws IOException {
            open.incrementAndGet();
            return new ForwardingObjectWriter(super.create(path)) {
                private boolean ended;

                @Override
                public void commit() throws IOException {
                    if (path.equals(failing)) {
                        throw new IOException("no room for " + path);
                    }
                    super.commit();
                    published.add(path);
                    end();
                }

                @Override
                public void close() throws IOException {
                    super.close();
                    boolean isFirst = !ended;
                    end();
                    if (isFirst && failsToClose) {
                        throw new IOException("no way to close " + path);
                    }
                }

                private void end() {
                    if (!ended) {
                        open.decrementAndGet();
                    }
                    ended = true;
                }
            };
        }
    }
}

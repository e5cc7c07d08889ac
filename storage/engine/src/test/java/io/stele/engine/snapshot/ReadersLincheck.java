package io.stele.engine.snapshot;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.LongAdder;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

/**
 * Readers that come and go without a lock, while files are replaced and deleted, in the
 * interleavings that Lincheck tries: nobody looks at a file that is deleted.
 *
 * <p>Beside them a copy with the one mistake that they are written to avoid. If that is not found,
 * Lincheck does not look.
 */
class ReadersLincheck {
    @Test
    void nobodyReadsWhatIsDeleted() {
        options().check(Files.class);
    }

    @Test
    void anOverlookedReaderWouldBeFound() {
        assertThatThrownBy(() -> options().check(OverlookingFiles.class))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("a reader of version");
    }

    private static ModelCheckingOptions options() {
        return new ModelCheckingOptions()
                .threads(2)
                .actorsBefore(0)
                .actorsPerThread(3)
                .actorsAfter(0)
                .iterations(8)
                .invocationsPerIteration(1_000)
                .minimizeFailedScenario(false);
    }

    /** A view whose versions each have a file, of which the older ones are deleted. */
    private abstract static class Versions {
        private volatile int version;
        private volatile int deletedBelow;
        private volatile String misread = "";

        final int look() {
            return version;
        }

        final void use(int looked) {
            if (deletedBelow > looked) {
                misread = "a reader of version " + looked + " after its file was deleted";
            }
        }

        final int replace() {
            int next = version + 1;
            version = next;
            return next;
        }

        final void delete(int below) {
            deletedBelow = below;
        }

        final void check() {
            if (!misread.isEmpty()) {
                throw new IllegalStateException("Expected none, found " + misread);
            }
        }
    }

    /** With the engine's readers. */
    public static class Files extends Versions {
        private final Readers readers = new Readers();

        @Operation
        public void read() {
            Readers.Generation generation = readers.enter();
            use(look());
            readers.exit(generation);
        }

        @Operation(nonParallelGroup = "collector")
        public void collect() {
            int version = replace();
            if (readers.allGoneSince(readers.now())) {
                delete(version);
            }
        }

        @Validate
        public void nothingWasMisread() {
            check();
        }
    }

    /** With readers that do not look again whether their generation is the present one. */
    public static class OverlookingFiles extends Versions {
        private volatile LongAdder current = new LongAdder();

        @Operation
        public void read() {
            LongAdder generation = current;
            generation.increment();
            use(look());
            generation.decrement();
        }

        @Operation(nonParallelGroup = "collector")
        public void collect() {
            int version = replace();
            LongAdder before = current;
            current = new LongAdder();
            if (before.sum() == 0) {
                delete(version);
            }
        }

        @Validate
        public void nothingWasMisread() {
            check();
        }
    }
}

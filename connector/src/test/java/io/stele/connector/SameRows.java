package io.stele.connector;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMultiset;
import java.util.List;
import java.util.function.Supplier;

/** Compares results whose order does not matter. */
public final class SameRows {
    private SameRows() {}

    /** AssertJ, which looks at each row for each other row, is asked only to say what differs. */
    public static <T> void assertSameRows(Supplier<String> what, List<T> found, List<T> expected) {
        if (!ImmutableMultiset.copyOf(found).equals(ImmutableMultiset.copyOf(expected))) {
            assertThat(found).as(what).containsExactlyInAnyOrderElementsOf(expected);
        }
    }

    static <T> void assertSameRows(String what, List<T> found, List<T> expected) {
        assertSameRows(() -> what, found, expected);
    }
}

package io.stele.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.engine.support.descriptor.AbstractTestDescriptor;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;

/** Which tests of a suite run by default. */
final class TestLongTestsFilter {
    private final LongTestsFilter filter = new LongTestsFilter();

    /** A suite of others. */
    abstract static class Suite {
        abstract void engine();

        abstract void connector();
    }

    @LongTests("engine")
    abstract static class Ours extends Suite {}

    @LongTests({"engine", "renamed"})
    abstract static class Outdated extends Suite {}

    @Test
    void namedTestsRunInLongRunsOnly() {
        assertThat(runs(MethodSource.from(Ours.class.getName(), "engine")))
                .isEqualTo(LongRun.isOn());
        assertThat(runs(MethodSource.from(Ours.class.getName(), "connector"))).isTrue();
        assertThat(runs(MethodSource.from(Suite.class.getName(), "engine"))).isTrue();
        assertThat(runs(ClassSource.from(Ours.class))).isTrue();
        assertThat(runs(ClassSource.from(Suite.class))).isTrue();
    }

    @Test
    void aNameOfNoTestIsAnError() {
        assertThatThrownBy(() -> runs(ClassSource.from(Outdated.class)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Outdated")
                .hasMessageContaining("[renamed]");
    }

    private boolean runs(TestSource source) {
        return filter.apply(
                        new AbstractTestDescriptor(UniqueId.forEngine("tests"), "a test", source) {
                            @Override
                            public Type getType() {
                                return TestDescriptor.Type.TEST;
                            }
                        })
                .included();
    }
}

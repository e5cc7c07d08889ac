package io.stele.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import org.junit.jupiter.api.Test;

class TestSchedulingGroups {
    private final SchedulingGroups groups = new SchedulingGroups();

    private SchedulingGroup create(String name) {
        return groups.create(name, 100, Urgency.NORMAL, 1_000_000);
    }

    @Test
    void aPoolHasSoManyGroupsAndNoMore() {
        SchedulingGroup first = create("first");
        for (int i = 1; i < 4096; i++) {
            create("g" + i);
        }
        assertThatThrownBy(() -> create("another"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("Expected at most 4096 scheduling groups, found one more: another");
        groups.remove(first);
        SchedulingGroup another = create("another");
        assertThat(groups).hasSize(4096).doesNotContain(first).last().isSameAs(another);
    }

    @Test
    void theStatusHasWhatRunsOfEachGroup() {
        SchedulingGroup one = create("one");
        create("two");
        assertThat(groups.status(group -> group == one ? 3 : 0))
                .extracting(GroupStatus::name, GroupStatus::runningContexts)
                .containsExactly(tuple("one", 3L), tuple("two", 0L));
    }
}

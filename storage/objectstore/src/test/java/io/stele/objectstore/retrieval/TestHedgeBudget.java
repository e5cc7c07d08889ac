package io.stele.objectstore.retrieval;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TestHedgeBudget {
    @Test
    void hedgesCostNoMoreThanTheirShare() {
        HedgeBudget budget = new HedgeBudget(0.05, 100);
        assertThat(budget.reserve(100)).isTrue();
        assertThat(budget.reserve(1)).isFalse();
        budget.want(2_000);
        assertThat(budget.reserve(100)).isTrue();
        assertThat(budget.reserve(1)).isFalse();
        budget.settle(100, 30); // 70 did not come twice
        assertThat(budget.reserve(70)).isTrue();
        assertThat(budget.reserve(1)).isFalse();
        assertThat(budget.wastedBytes()).isEqualTo(30);
    }

    @Test
    void noShareIsNoHedges() {
        HedgeBudget budget = new HedgeBudget(0, 100);
        budget.want(1_000_000);
        assertThat(budget.reserve(1)).isFalse();
    }
}

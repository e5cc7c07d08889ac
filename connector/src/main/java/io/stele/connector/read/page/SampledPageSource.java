package io.stele.connector.read.page;

import static java.util.Objects.requireNonNull;

import io.stele.connector.handle.SteleSample;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.SourcePage;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A page source that returns a random sample of another source's rows, each with the same
 * probability. Confined to one driver.
 */
public final class SampledPageSource extends ForwardingPageSource {
    private final SteleSample sample;
    private final SplittableRandom random;

    /**
     * @param part number of this source in the sample, so that sources draw different random
     *     numbers
     */
    public SampledPageSource(ConnectorPageSource source, SteleSample sample, int part) {
        super(source);
        this.sample = requireNonNull(sample, "sample is null");
        this.random = new SplittableRandom(sample.seed() * 31 + part);
    }

    @Override
    public @Nullable SourcePage getNextSourcePage() {
        SourcePage page = source().getNextSourcePage();
        if (page == null) {
            return null;
        }
        int[] chosen = new int[page.getPositionCount()];
        int count = 0;
        for (int position = 0; position < chosen.length; position++) {
            if (random.nextDouble() < sample.ratio()) {
                chosen[count] = position;
                count++;
            }
        }
        if (count == 0) {
            return null;
        }
        page.selectPositions(chosen, 0, count);
        return page;
    }

    @Override
    public OptionalLong getCompletedPositions() {
        return source().getCompletedPositions();
    }
}

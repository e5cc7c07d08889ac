package io.stele.columnfile.orc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class TestDecimalScale {
    @Test
    void fractionsComeBackToTheBit() {
        Random random = new Random(11);
        for (int scale = 0; scale <= DecimalScale.MAX_SCALE; scale++) {
            long base = random.nextLong(-(1L << 40), 1L << 40) >> random.nextInt(40);
            DecimalScale decimal = new DecimalScale(scale, base);
            for (int round = 0; round < 20_000; round++) {
                long whole = random.nextLong(-(1L << 40), 1L << 40) >> random.nextInt(40);
                double value = BigDecimal.valueOf(whole, scale).doubleValue();
                assertThat(decimal.encode(value))
                        .as("%s at %s", value, scale)
                        .isEqualTo(whole - base);
                assertThat(decimal.decode(whole - base)).isEqualTo(value);
            }
        }
    }

    @Test
    void whatIsEncodedIsDecodedOrRefused() {
        Random random = new Random(12);
        for (int round = 0; round < 100_000; round++) {
            DecimalScale decimal =
                    new DecimalScale(random.nextInt(DecimalScale.MAX_SCALE + 1), random.nextInt());
            double value =
                    random.nextBoolean()
                            ? Double.longBitsToDouble(random.nextLong())
                            : random.nextInt(1000) / 100.0 + (random.nextBoolean() ? 0 : 1e-12);
            long whole = decimal.encode(value);
            if (whole != DecimalScale.NONE) {
                assertThat(Double.doubleToRawLongBits(decimal.decode(whole)))
                        .isEqualTo(Double.doubleToRawLongBits(value));
            }
        }
    }

    @Test
    void otherDoublesAreRefused() {
        DecimalScale cents = new DecimalScale(2, 0);
        for (double value :
                new double[] {
                    Double.NaN,
                    Double.POSITIVE_INFINITY,
                    Double.NEGATIVE_INFINITY,
                    -0.0,
                    0.125,
                    1.0 / 3,
                    Double.MIN_VALUE,
                    Double.MAX_VALUE,
                    0x1p41
                }) {
            assertThat(cents.encode(value)).as("%s", value).isEqualTo(DecimalScale.NONE);
        }
        assertThat(cents.encode(0.0)).isZero();
        assertThatThrownBy(() -> new DecimalScale(7, 0)).hasMessageContaining("found 7");
        assertThatThrownBy(() -> new DecimalScale(-1, 0)).hasMessageContaining("found -1");
        assertThatThrownBy(() -> new DecimalScale(0, (1L << 40) + 1))
                .hasMessageContaining("found 1099511627777");
    }

    @Test
    void theChoiceIsTheLeastScaleOfAll() {
        DecimalScale.Chooser chooser = new DecimalScale.Chooser();
        assertThat(chooser.choice()).isEmpty();
        chooser.add(17);
        assertThat(chooser.choice()).contains(new DecimalScale(0, 17));
        chooser.add(0.25);
        chooser.add(0.5);
        assertThat(chooser.choice()).contains(new DecimalScale(2, 862)); // 0.25 to 17
        chooser.add(0.123456);
        assertThat(chooser.choice()).contains(new DecimalScale(6, 8_561_728));
        chooser.add(Math.PI);
        assertThat(chooser.choice()).isEmpty();
        chooser.add(1);
        assertThat(chooser.choice()).isEmpty();
    }

    @Test
    void valuesThatNoScaleHasTogetherHaveNone() {
        DecimalScale.Chooser chooser = new DecimalScale.Chooser();
        chooser.add(1L << 39);
        assertThat(chooser.choice()).contains(new DecimalScale(0, 1L << 39));
        chooser.add(0.5);
        assertThat(chooser.choice()).isEmpty();
    }

    @Test
    void boundsContainAllThatIsWithin() {
        Random random = new Random(13);
        for (int round = 0; round < 50_000; round++) {
            DecimalScale decimal =
                    new DecimalScale(random.nextInt(DecimalScale.MAX_SCALE + 1), random.nextInt());
            double bound = random.nextInt(-1000, 1000) / 100.0 + random.nextDouble() * 1e-9;
            long whole = random.nextInt(-20_000_000, 20_000_000);
            double value = decimal.decode(whole);
            if (value >= bound) {
                assertThat(whole).isGreaterThanOrEqualTo(decimal.floor(bound));
            }
            if (value <= bound) {
                assertThat(whole).isLessThanOrEqualTo(decimal.ceiling(bound));
            }
        }
        DecimalScale cents = new DecimalScale(2, 0);
        assertThat(cents.floor(12.34)).isBetween(1231L, 1234L);
        assertThat(cents.ceiling(12.34)).isBetween(1234L, 1237L);
        assertThat(cents.floor(Double.NEGATIVE_INFINITY)).isLessThan(-(1L << 40));
        assertThat(cents.ceiling(Double.POSITIVE_INFINITY)).isGreaterThan(1L << 40);
        assertThat(cents.floor(Double.POSITIVE_INFINITY)).isGreaterThan(1L << 40);
        assertThat(cents.ceiling(Double.NEGATIVE_INFINITY)).isLessThan(-(1L << 40));
    }
}

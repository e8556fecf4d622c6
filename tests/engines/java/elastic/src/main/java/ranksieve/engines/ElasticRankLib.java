package ranksieve.engines;

import ciir.umass.edu.learning.DataPoint;
import ciir.umass.edu.learning.RankerFactory;
import java.util.List;

/** Models of type model/ranklib: RankLib counts the features of the set from 1. */
final class ElasticRankLib {
    private ElasticRankLib() {}

    static Elastic.Ranker parse(String definition, List<String> names) {
        ciir.umass.edu.learning.Ranker ranker = new RankerFactory().loadRankerFromString(definition);
        return scores -> (float) ranker.eval(new Document(scores));
    }

    /** The scores of a set's features as RankLib sees them. */
    private static final class Document extends DataPoint {
        private final float[] scores;

        Document(float[] scores) {
            this.scores = scores;
        }

        @Override
        public float getFeatureValue(int feature) {
            Elastic.require(feature >= 1 && feature <= scores.length, "requesting unspecified feature " + feature);
            return Float.isNaN(scores[feature - 1]) ? 0 : scores[feature - 1];
        }

        @Override
        public void setFeatureValue(int feature, float value) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void setFeatureVector(float[] values) {
            throw new UnsupportedOperationException();
        }

        @Override
        public float[] getFeatureVector() {
            throw new UnsupportedOperationException();
        }
    }
}

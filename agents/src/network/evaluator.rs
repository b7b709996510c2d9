//! An evaluator with the networks of a bot. The seat that throws or decides observes the position.

use std::sync::Arc;

use ashta_env::game::{BySeat, Game, Node};

use crate::{
    network::portable::{Observations, PortableNet, Scratch},
    play::{
        agent::softmax_policy,
        evaluator::{Evaluation, Evaluator, answer_open},
        perspective,
    },
};

/// Evaluates positions by the values and the policy of the two networks of a bot.
#[derive(Clone, Debug)]
pub struct NetEvaluator {
    net: Arc<PortableNet>,
    scratch: Scratch,
    observations: Observations,
}

impl NetEvaluator {
    /// An evaluator that uses `net`, whose shape must fit the game.
    pub fn new(net: Arc<PortableNet>) -> NetEvaluator {
        NetEvaluator {
            net,
            scratch: Scratch::default(),
            observations: Observations::default(),
        }
    }
}

impl<G: Game> Evaluator<G> for NetEvaluator {
    fn evaluate(&mut self, game: &G, states: &[G::State]) -> Vec<Evaluation> {
        let NetEvaluator { net, scratch, .. } = self;
        let mut active = Vec::new();
        let mut answer = |state: &G::State| {
            let (seat, legal) = match game.node(state) {
                Node::Terminal => return game.returns(state).into(),
                Node::Chance(seat) | Node::Decision(seat) => (seat, game.legal_actions(state)),
            };
            active.clear();
            game.observe_active(state, seat, &mut active);
            let (values, logits) = net.forward(&active, scratch);
            let values = perspective::to_seats(values, game.spec(), seat);
            let logits = legal
                .iter()
                .map(|action| (action, logits[usize::from(action.0)]));
            Evaluation {
                values,
                policy: softmax_policy(logits, 1.0),
            }
        };
        states.iter().map(&mut answer).collect()
    }

    fn values(&mut self, game: &G, states: &[G::State], out: &mut Vec<BySeat<f32>>) {
        let NetEvaluator {
            net,
            scratch,
            observations,
            ..
        } = self;
        answer_open(game, states, out, |open, out| {
            observations.clear();
            let mut seats = Vec::with_capacity(open.len());
            for state in open {
                if let Node::Chance(seat) | Node::Decision(seat) = game.node(state) {
                    observations.push(|active| game.observe_active(state, seat, active));
                    seats.push(seat);
                }
            }
            let mut seats = seats.into_iter();
            net.forward_values(observations, scratch, |values| {
                out.extend(
                    seats
                        .next()
                        .map(|seat| perspective::to_seats(values, game.spec(), seat)),
                );
            });
        });
    }
}
